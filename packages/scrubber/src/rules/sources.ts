/** GitHub's public list of the vendors' tokens that it recognises, with the vendors' consent. */
export const githubList: string =
  "https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns";

/** The vendor shows tokens of this form in its product, but describes them on no page we know. */
export const unknownSource: string = "no page that describes the form is known";

/** Microsoft's library of the marks that it puts into its keys. */
export const microsoftMarks: string = "https://github.com/microsoft/security-utilities";
