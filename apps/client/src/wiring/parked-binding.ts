/** What it means that a project is bound to a namespace that the person is no longer a member of. */
export function parkedBinding(
  project: string,
  name: string,
): { readonly message: string; readonly fix: string } {
  return {
    message:
      `${project} is bound to ${name}, and you are no longer a member of it: ` +
      "captures go to your personal namespace, and saves are refused",
    fix: "tidemark namespace use personal, or the name of another namespace",
  };
}
