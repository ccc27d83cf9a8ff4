/** Whether what Junos may have stored ends here, and is no salt before the hash of another system. */
export function endsJunosPassword(text: string, start: number, end: number): boolean {
  return text[end] !== "$" && new Set(text.slice(start + 3, end)).size >= 4;
}
