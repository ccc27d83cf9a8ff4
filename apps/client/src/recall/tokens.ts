/** UTF-8 bytes of English text and code that make one token, on the low side. */
const bytesPerToken = 3.6;

/** Estimates the tokens of a text without a tokenizer; high rather than low. */
export function tokensOf(text: string): number {
  return Math.ceil(utf8Bytes(text) / bytesPerToken);
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    // Each half of a surrogate pair stands for two of its four bytes.
    else bytes += code >= 0xd800 && code <= 0xdfff ? 2 : 3;
  }
  return bytes;
}
