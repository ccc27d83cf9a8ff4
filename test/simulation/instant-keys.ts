import { createHash } from "node:crypto";

/** What a key of this world is made of: halves as a JWK has them, or plain bytes. */
export type Material = { readonly x: string; readonly d?: string } | { readonly raw: Buffer };

const materials = new WeakMap<object, Material>();

/** A key as WebCrypto shows one; its material stays here. */
export function newKey(
  material: Material,
  { type, ...told }: { type: string; algorithm: object; usages: readonly string[] },
): object {
  const key = { [Symbol.toStringTag]: "CryptoKey", type, extractable: true, ...told };
  materials.set(key, material);
  return key;
}

/** The public half, `x` of its JWK. */
export function publicOf(key: object): string {
  const material = materials.get(key);
  return material !== undefined && "x" in material ? material.x : "";
}

/** The bytes of a secret key. */
export function rawOf(key: object): Buffer {
  const material = materials.get(key);
  return material !== undefined && "raw" in material ? material.raw : Buffer.alloc(0);
}

/** The halves of a key as its JWK has them. */
export function halvesOf(key: object): Material | undefined {
  return materials.get(key);
}

/** The public half that belongs to a secret one. */
export function publicHalf(secret: Uint8Array): string {
  return createHash("sha256").update("public half").update(secret).digest("base64url");
}

export function bytesOf(data: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}

export function bufferOf(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
