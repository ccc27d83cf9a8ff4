/** Secrets that belong to nobody, put together here so that no scanner takes them for real ones. */
export const canaries: readonly string[] = [
  ["AKIA", "QYLPMN5HXK", "2WVTZ7"].join(""),
  ["ghp_", "x7Kq2mPz9RvT4nWb", "8sYc3LdF6hJgA51kQe0U"].join(""),
  [
    "sk-ant-api03-",
    "Zk3vQ9mXw7Lp2Rt8Yb5NcDf6HgJs4Ka",
    "Ue1Vr0Tq8Wn5Bz2Mx7Ld4Fp9Hc6Gs3J",
    "yA1uI7oE5tR2wQ8kN4vB6mZ0xPdSfA",
    "AA",
  ].join(""),
  ["xoxb-", "204857193846-", "3917462850174-", "qWeRtYuIoPaSdFgHjKlZxCvB"].join(""),
];

/** The same as words of a shell, which a scrubber knows by their names alone. */
export const namedCanary = ["q7!Vb", "zR2#tLw", "9xKm"].join("");
