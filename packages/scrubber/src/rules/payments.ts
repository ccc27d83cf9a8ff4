import { type NamedKind, run, type Rule, tokenRules, uuid } from "../rule.ts";
import { type NamedRow, namedKinds, type PrefixRow, prefixKinds } from "./rows.ts";
import { githubList } from "./sources.ts";

const stripe = "https://docs.stripe.com/keys";
const webhooks = "https://docs.stripe.com/webhooks";
const square = "https://developer.squareup.com/docs/build-basics/access-tokens";
const shopify = "https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens";
const braintree = "https://developer.paypal.com/braintree/docs/guides/authorization/overview";
const plaid = "https://plaid.com/docs/api/tokens/";
const paddle = "https://developer.paddle.com/api-reference/about/api-keys";
const flutterwave = "https://developer.flutterwave.com/docs/authentication";
const paypal = "https://developer.paypal.com/api/rest/authentication/";
const adyen = "https://docs.adyen.com/development-resources/api-credentials/";
const easypost = "https://docs.easypost.com/docs/authentication";
const shippo = "https://docs.goshippo.com/docs/guides_general/authentication/";
const duffel = "https://duffel.com/docs/api/overview/authentication";
const mercury = "https://docs.mercury.com/docs/getting-started";

const rows: readonly PrefixRow[] = [
  ["stripe_restricted_key", "rk_live_ rk_test_", "word", 10, 256, stripe],
  ["webhook_secret", "whsec_", "base64Padded", 24, 200, webhooks],
  ["square_token", "sq0atp-", "word", 20, 64, square],
  ["square_secret", "sq0csp-", "word", 40, 80, square],
  ["square_access_token", "EAAAl EAAAE", "word", 50, 80, square],
  ["paypal_access_token", "A21AA", "word", 80, 160, paypal],
  ["adyen_key", "AQE", "base64Any", 80, 400, adyen],
  ["plaid_token", "access-production- access-sandbox- access-development-", "word", 32, 64, plaid],
  ["flutterwave_key", "FLWSECK", "word", 16, 80, flutterwave],
  ["paddle_key", "pdl_live_apikey_ pdl_sdbx_apikey_", "ident", 40, 120, paddle],
  ["paddle_webhook_secret", "pdl_ntfset_", "base64Any", 40, 120, paddle],
  ["shopify_token", "shpat_", "hex", 32, 64, shopify],
  ["shopify_custom_app_token", "shpca_", "hex", 32, 64, shopify],
  ["shopify_private_app_password", "shppa_", "hex", 32, 64, shopify],
  ["shopify_secret", "shpss_", "hex", 32, 64, shopify],
  ["shippo_token", "shippo_live_ shippo_test_", "hex", 40, 64, shippo],
  ["easypost_key", "EZAK EZTK", "alnum", 54, 64, easypost],
  ["duffel_token", "duffel_live_ duffel_test_", "word", 40, 80, duffel],
  ["klarna_key", "klarna_live_api_ klarna_test_api_", "base64Any", 24, 200, "https://docs.klarna.com/"],
  ["mercury_token", "mercury_production_ mercury_sandbox_", "ident", 24, 120, mercury],
  ["brex_token", "bxt_", "alnum", 36, 80, "https://developer.brex.com/docs/authentication/"],
  ["xendit_key", "xnd_production_ xnd_development_", "alnum", 40, 120, githubList],
  ["midtrans_key", "Mid-server-", "word", 20, 40, githubList],
  ["omise_key", "skey_", "ident", 19, 32, "https://docs.omise.co/api-authentication"],
  ["checkout_key", "sk_sbox_", "lowerAlnum", 24, 48, githubList],
  ["lob_key", "live_ test_", "hex", 35, 35, githubList],
  ["razorpay_key", "rzp_live_ rzp_test_", "alnum", 14, 24, "https://razorpay.com/docs/api/authentication/"],
  ["cashfree_key", "cfsk_ma_prod_ cfsk_ma_test_", "ident", 32, 80, githubList],
  ["asaas_key", "$aact_", "base64Any", 80, 400, githubList],
  ["mercadopago_token", "APP_USR-", "word", 60, 100, "https://www.mercadopago.com/developers/"],
  ["sumup_key", "sup_sk_", "alnum", 32, 80, "https://developer.sumup.com/"],
  ["mollie_access_token", "access_", "alnum", 40, 64, "https://docs.mollie.com/reference/authentication"],
  ["polar_token", "polar_oat_ polar_pat_ polar_whs_ polar_cst_", "alnum", 32, 80, "https://polar.sh/docs/"],
  ["persona_key", "persona_production_ persona_sandbox_", "word", 32, 80, githubList],
  ["ramp_secret", "ramp_sec_ ramp_tok_", "alnum", 24, 96, "https://docs.ramp.com/"],
  ["onfido_token", "api_live. api_sandbox. api_live_us. api_live_ca.", "dotted", 36, 80, githubList],
  ["revolut_key", "oa_prod_ oa_sand_", "word", 40, 60, "https://developer.revolut.com/"],
  ["woocommerce_key", "cs_ ck_", "hex", 40, 40, "https://woocommerce.github.io/woocommerce-rest-api-docs/"],
]; // prettier-ignore

/** Keys and tokens of payment providers and shops. */
export const paymentRules: readonly Rule[] = tokenRules([
  ...prefixKinds(2, rows),
  {
    kind: "stripe_key",
    priority: 2,
    source: stripe,
    anchors: ["sk_live_", "sk_test_"],
    body: [run("word", 10, 256)],
    isShared: true,
  },
  {
    kind: "braintree_token",
    priority: 2,
    source: braintree,
    anchors: ["access_token$production$", "access_token$sandbox$"],
    body: [run("lowerAlnum", 16), "$", run("hex", 32)],
  },
]);

const base64Of64 = [run("base64", 86), "=="];

const names = (): readonly NamedRow[] => [
  ["mollie_key", "mollie", [["live_", run("alnum", 30)], ["test_", run("alnum", 30)]], "https://docs.mollie.com/reference/authentication"],
  ["gocardless_token", "gocardless", [["live_", run("word", 40)], ["sandbox_", run("word", 40)]], "https://developer.gocardless.com/api-reference/"],
  ["paypal_client_secret", "paypal secret", [[run("word", 80)]], paypal],
  ["razorpay_secret", "razorpay secret", [[run("alnum", 24)]], "https://razorpay.com/docs/api/"],
  ["paystack_key", "paystack", [["sk_live_", run("hex", 40)], ["sk_test_", run("hex", 40)]]],
  ["coinbase_secret", "coinbase", [[run("alnum", 64)], base64Of64]],
  ["kraken_secret", "kraken", [base64Of64], "https://docs.kraken.com/api/"],
  ["binance_key", "binance", [[run("alnum", 64)]], "https://developers.binance.com/docs/"],
  ["exchange_key", "bybit|okx|kucoin|bitfinex|bitmex", [uuid, [run("alnum", 18, 64)]]],
  ["mollie_key", "mollie", [["live_", run("alnum", 30)], ["test_", run("alnum", 30)]]],
  ["wise_token", "wise|transferwise", [uuid]],
  ["plaid_secret", "plaid secret", [[run("hex", 30)]], plaid],
  ["chargebee_key", "chargebee", [[run("word", 32, 80)]]],
  ["recurly_key", "recurly", [[run("hex", 32)]]],
  ["dwolla_secret", "dwolla secret", [[run("alnum", 50)]]],
]; // prettier-ignore

/** What goes by its name alone. */
export const paymentNames = (): readonly NamedKind[] => namedKinds(2, names());
