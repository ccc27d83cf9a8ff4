import { type Kind, named, shaped, snippet } from "../corpus/kind.ts";
import { must, secret } from "../corpus/marks.ts";
import { chars } from "../corpus/template.ts";
import { withCrc } from "./code-hosts.ts";

/** A macaroon as PyPI writes it: version 2, the host, then what only the server can read. */
const pypi = (prefix: string) => `${prefix}<b64:2>QkN<w:150>`;

/** Package registries, payments and shops, crypto exchanges. */
export const registryAndMoneyKinds: readonly Kind[] = [
  shaped("P2", "npm-token", withCrc("npm_", 30), "NPM_TOKEN NODE_AUTH_TOKEN"),
  shaped("P2", "pypi-token", pypi("pypi-AgEIcHlwaS5vcmc"), "PYPI_TOKEN TWINE_PASSWORD"),
  shaped("P2", "pypi-test-token", pypi("pypi-AgENdGVzdC5weXBpLm9yZw"), "TEST_PYPI_TOKEN"),
  shaped("P2", "rubygems", "rubygems_<hex:48>", "GEM_HOST_API_KEY"),
  shaped("P2", "crates", "cio<an:32>", "CARGO_REGISTRY_TOKEN"),
  shaped("P2", "nuget", "oy2<low:43>", "NUGET_API_KEY"),
  shaped("P2", "docker-hub-pat", "dckr_pat_<w:27>", "DOCKERHUB_TOKEN"),
  shaped("P2", "docker-hub-org", "dckr_oat_<w:32>", "DOCKERHUB_TOKEN"),
  shaped("P2", "swarm-join", "SWMTKN-1-<low:50>-<low:25>", "SWARM_JOIN_TOKEN"),
  shaped("P2", "swarm-unlock", "SWMKEY-1-<b64:43>", "SWARM_UNLOCK_KEY"),
  shaped("P2", "artifactory-key", "AKCp<an:69>", "ARTIFACTORY_API_KEY JFROG_API_KEY"),
  shaped("P2", "artifactory-reference", "cmVmdGtuOjAx<an:52>", "JFROG_ACCESS_TOKEN"),
  shaped("P2", "clojars", "CLOJARS_<hex:60>", "CLOJARS_PASSWORD"),
  snippet(
    "P2",
    "composer auth",
    "composer-github",
    (random) =>
      `{"github-oauth": {"${must("github.com")}": "${secret(withCrc("ghp_", 30)(random))}"}}`,
  ),
  shaped("P2", "cloudsmith", "csa_<hex:36>", "CLOUDSMITH_API_KEY"),
  shaped("P2", "stripe-live", "sk_live_<an:24>", "STRIPE_SECRET_KEY STRIPE_API_KEY"),
  shaped("P2", "stripe-live-long", "sk_live_51<an:97>", "STRIPE_SECRET_KEY"),
  shaped("P2", "stripe-test", "sk_test_<an:24>", "STRIPE_SECRET_KEY"),
  shaped("P2", "stripe-restricted", "rk_live_<an:99>", "STRIPE_RESTRICTED_KEY"),
  shaped("P2", "stripe-restricted-test", "rk_test_<an:24>", "STRIPE_RESTRICTED_KEY"),
  shaped("P2", "stripe-webhook", "whsec_<an:32>", "STRIPE_WEBHOOK_SECRET"),
  shaped("P2", "svix-webhook", "whsec_<b64:43>=", "CLERK_WEBHOOK_SECRET SVIX_SECRET"),
  shaped("P2", "square-access", "EAAAE<w:59>", "SQUARE_ACCESS_TOKEN"),
  shaped("P2", "square-token", "sq0atp-<w:22>", "SQUARE_ACCESS_TOKEN"),
  shaped("P2", "square-secret", "sq0csp-<w:43>", "SQUARE_APPLICATION_SECRET"),
  shaped("P2", "braintree", "access_token$production$<low:16>$<hex:32>", "BRAINTREE_ACCESS_TOKEN"),
  named("P2", "paypal-secret", "<w:80>", "PAYPAL_CLIENT_SECRET PAYPAL_SECRET"),
  shaped("P2", "adyen", "AQE<an:60>.<an:20>", "ADYEN_API_KEY"),
  shaped("P2", "plaid-access", "access-production-<uuid>", "PLAID_ACCESS_TOKEN"),
  named("P2", "plaid-secret", "<hex:30>", "PLAID_SECRET"),
  named("P2", "razorpay-secret", "<an:24>", "RAZORPAY_KEY_SECRET RAZORPAY_SECRET"),
  shaped("P2", "flutterwave", "FLWSECK-<hex:32>-X", "FLW_SECRET_KEY"),
  shaped("P2", "flutterwave-test", "FLWSECK_TEST-<hex:32>-X", "FLW_SECRET_KEY"),
  shaped("P2", "paddle", "pdl_live_apikey_<low:26>_<an:22>_<an:3>", "PADDLE_API_KEY"),
  shaped("P2", "paystack", "sk_live_<hex:40>", "PAYSTACK_SECRET_KEY"),
  shaped("P2", "shopify-access", "shpat_<hex:32>", "SHOPIFY_ACCESS_TOKEN"),
  shaped("P2", "shopify-custom", "shpca_<hex:32>", "SHOPIFY_ACCESS_TOKEN"),
  shaped("P2", "shopify-private", "shppa_<hex:32>", "SHOPIFY_API_PASSWORD"),
  shaped("P2", "shopify-shared", "shpss_<hex:32>", "SHOPIFY_API_SECRET"),
  shaped("P2", "shippo", "shippo_live_<hex:40>", "SHIPPO_API_KEY"),
  shaped("P2", "easypost", "EZAK<an:54>", "EASYPOST_API_KEY"),
  shaped("P2", "duffel", "duffel_live_<w:43>", "DUFFEL_ACCESS_TOKEN"),
  named("P2", "coinbase-secret", "<an:64>", "COINBASE_API_SECRET"),
  named("P2", "kraken-secret", "<b64:86>==", "KRAKEN_API_SECRET KRAKEN_PRIVATE_KEY"),
  named("P2", "binance-secret", "<an:64>", "BINANCE_API_SECRET BINANCE_SECRET_KEY"),
  shaped("P2", "lemon-squeezy", (random) => `eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJhdWQiOiI5NGQ1OWNlZiJ9.${chars(random, "w", 342)}`, "LEMONSQUEEZY_API_KEY"), // prettier-ignore
];
