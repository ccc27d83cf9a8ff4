import { hasLuhn, hasMod11And10, hasMod97, hasVerhoeff } from "../checks/digits.ts";
import * as ids from "../checks/national-ids.ts";
import type { IdRule, PersonalKind } from "../personal-rule.ts";
import { type Part, run } from "../rule.ts";

const oecd =
  "https://www.oecd.org/en/networks/global-forum-tax-transparency/resources/aeoi-implementation-portal/tax-identification-numbers.html"; // prettier-ignore

/** Numbers of leaflets and handbooks, which were issued to nobody. */
const knownSamples = (): RegExp => /^(?:123456789|078051120|219099999|457555462|987654321)$/;

/** Words before numbers of many digits that are counted, timed or drawn and belong to no card. */
const counted = (): RegExp =>
  /(?:nonce|seed|ean|isbn|gtin|upc|sku|imei|iccid|time|stamp|_at|At|offset|order|invoice|tracking|serial|bytes|size|count|total|seq|version|build|hash|random|[a-z_]id|Id|\bid|number of)\W{0,6}$/i;

const digits = (min: number, max?: number): readonly Part[] => [run("digit", min, max)];
const letters = (count: number): Part => run("upper", count);

/** Kind, shapes, test, labels parted by bars, groups parted by bars, and the page. */
type Row = readonly [
  kind: PersonalKind,
  shapes: IdRule["shapes"],
  valid: IdRule["valid"] | undefined,
  labels: string,
  groups: string,
  source: string,
];

const rows = (): readonly Row[] => [
  ["payment_card", [digits(14, 19)], (id) => ids.isCard(id) && !ids.testCards().test(id), "", "4 4 4 4|4-4-4-4|4 6 5|4-6-5|4 6 4|4 4 4 4 3", "https://www.iso.org/standard/70484.html"],
  ["iban", [[letters(2), run("digit", 2), run("upperAlnum", 11, 30)]], (id) => ids.hasIbanLength(id) && hasMod97(id.slice(4) + id.slice(0, 4)), "", "4*", "https://www.swift.com/standards/data-standards/iban-international-bank-account-number"],
  ["us_ssn", [digits(9)], (id) => ids.isSsn(id) && !knownSamples().test(id), "ssn|social security", "3-2-4", "https://www.ssa.gov/employer/randomization.html"],
  ["us_itin", [digits(9)], ids.isItin, "itin", "3-2-4", "https://www.irs.gov/individuals/individual-taxpayer-identification-number"],
  ["uk_nino", [[letters(2), run("digit", 6), letters(1)]], (id) => ids.isNino(id) && /[A-D]$/.test(id), "", "2 2 2 2 1|2 6 1", "https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110"],
  ["uk_nhs", [digits(10)], ids.isNhs, "nhs", "3 3 4", "https://www.datadictionary.nhs.uk/attributes/nhs_number.html"],
  ["es_dni", [[run("digit", 8), letters(1)]], ids.isDni, "", "8-1|8 1|2.3.3-1", oecd],
  ["es_nie", [[letters(1), run("digit", 7), letters(1)]], (id) => /^[XYZ]/.test(id) && ids.isNie(id), "", "1-7-1", oecd],
  ["fr_nir", [digits(15), [run("digit", 5), "2", run("upper", 1), run("digit", 8)]], ids.isNir, "", "1 2 2 2 3 3 2|13 2", oecd],
  ["it_fiscal_code", [[letters(6), run("upperAlnum", 9), letters(1)]], (id) => /^.{6}..[A-EHLMPRST]..[A-Z]/.test(id) && ids.isFiscalCode(id), "", "", oecd],
  ["de_tax_id", [digits(11)], hasMod11And10, "steuer|tax id|idnr|tin", "2 3 3 3", oecd],
  ["de_id_card", [[run("upperAlnum", 9), run("digit", 1)]], ids.isIdCard, "ausweis|id card", "", "https://www.personalausweisportal.de/"],
  ["hr_oib", [digits(11)], hasMod11And10, "oib", "", oecd],
  ["pl_pesel", [digits(11)], ids.isPesel, "pesel", "", oecd],
  ["se_personnummer", [digits(10), digits(12)], ids.isPersonnummer, "personnummer|pnr", "6-4|8-4", oecd],
  ["fi_hetu", [[run("digit", 9), run("upperAlnum", 1)], [run("digit", 6), letters(1), run("digit", 3), run("upperAlnum", 1)]], ids.isHetu, "hetu|henkilötunnus", "6-4", oecd],
  ["nl_bsn", [digits(9)], ids.isBsn, "bsn|burgerservicenummer", "", oecd],
  ["be_national_number", [digits(11)], ids.isBelgian, "rijksregister|national number|niss|insz", "2.2.2-3.2", oecd],
  ["br_cpf", [digits(11)], ids.isCpf, "cpf", "3.3.3-2", oecd],
  ["br_cnpj", [digits(14)], ids.isCnpj, "cnpj", "2.3.3/4-2", oecd],
  ["in_aadhaar", [digits(12)], (id) => /^[2-9]/.test(id) && hasVerhoeff(id), "aadhaar|aadhar|uidai", "4 4 4|4-4-4", "https://uidai.gov.in/"],
  ["in_pan", [[letters(5), run("digit", 4), letters(1)]], (id) => /^...[ABCFGHJLPT]/.test(id), "pan|permanent account", "", oecd],
  ["ca_sin", [digits(9)], hasLuhn, "sin|social insurance", "3-3-3", oecd],
  ["au_tfn", [digits(9)], ids.isTfn, "tfn|tax file", "", oecd],
  ["au_medicare", [digits(10, 11)], ids.isMedicare, "medicare", "", "https://www.servicesaustralia.gov.au/medicare-card"],
  ["za_id", [digits(13)], ids.isZaId, "id number|identity|id no|south african|sa id", "", oecd],
  ["kr_rrn", [digits(13)], ids.isRrn, "rrn|resident registration|주민", "6-7", oecd],
  ["cn_id", [[run("digit", 17), run("upperAlnum", 1)]], ids.isChineseId, "", "", oecd],
  ["jp_my_number", [digits(12)], ids.isMyNumber, "my number|マイナンバー|個人番号", "", oecd],
  ["sg_nric", [[letters(1), run("digit", 7), letters(1)]], (id) => /^[STFG]/.test(id) && ids.isNric(id), "", "", oecd],
  ["tr_id", [digits(11)], ids.isTurkishId, "kimlik|tckn", "", oecd],
  ["th_id", [digits(13)], ids.isThaiId, "citizen id|thai id|บัตร", "1-4-5-2-1", oecd],
  ["ch_ahv", [["756", run("digit", 10)]], ids.isAhv, "ahv|avs|oasi|sozialvers|insured|ssn|n° ass|numéro d'ass", "3.4.4.2", oecd],
  ["cl_rut", [[run("digit", 7, 8), run("upper", 1)], digits(8, 9)], ids.isRut, "rut", "2.3.3-1|1.3.3-1", oecd],
  ["ro_cnp", [digits(13)], ids.isCnp, "cnp", "", oecd],
  ["pt_nif", [digits(9)], ids.isNif, "nif|contribuinte", "", oecd],
  ["no_fodselsnummer", [digits(11)], ids.isFodselsnummer, "fødselsnummer|fodselsnummer|fnr", "6 5", oecd],
  ["passport", [[run("upperAlnum", 6, 9)]], isPassport, "passport|reisepass|passeport", "", "https://www.icao.int/publications/doc-series/doc-9303"],
]; // prettier-ignore

/** Four digits in a row, or a German number: a letter first, and then letters that are no vowels. */
function isPassport(id: string): boolean {
  if (/\d{4}/.test(id)) return true;
  return /^[CFGHJK][CFGHJKLMNPRTVWXYZ\d]{8}$/.test(id) && /\d/.test(id);
}

function partsOf(list: string): readonly string[] | undefined {
  return list === "" ? undefined : list.split("|");
}

/** Numbers that registers, banks and card issuers give to people. */
export const idRules = (): readonly IdRule[] =>
  rows().map(([kind, shapes, valid, labels, groups, source]) => {
    const before = partsOf(labels);
    const written = partsOf(groups);
    return {
      kind,
      priority: 3,
      source,
      shapes,
      ...(valid === undefined ? {} : { valid }),
      ...(before === undefined ? {} : { labels: before }),
      ...(written === undefined ? {} : { groups: written }),
      ...(kind === "payment_card" ? { others: counted() } : {}),
    };
  });
