/** Whether a tool is Tidemark's own: capturing its answers would feed memory with itself (CP5). */
export function isOwnTool(name: string): boolean {
  return (
    name.startsWith("mcp__") && /^mcp__(?:tidemark__|plugin_(?:(?!__)[\w-])*tidemark)/u.test(name)
  );
}
