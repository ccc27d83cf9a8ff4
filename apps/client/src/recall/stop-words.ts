/**
 * English words that say nothing about what is searched. Dropping them from a query is the cheapest
 * gain in ranking there is, and keeps bm25 from scoring a word that stands in every record.
 */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after again all also am an and any are as at be because been before being but by can " +
    "could did do does doing done down for from had has have having he her here him his how i if " +
    "in into is it its just let me more most my no nor not now of off on once only or other our " +
    "out over own please same she should so some such than that the their them then there these " +
    "they this those through to too under until up us very was we were what when where which " +
    "while who whom why will with would you your"
  ).split(" "),
);
