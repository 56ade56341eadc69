import type { Unstructured } from '@lateen/kube';

/** `stringData` is for writing only: the API server moves it, in base64, into `data`. */
export function encodeSecret(secret: Unstructured): void {
  secret.type ??= 'Opaque';
  const { stringData } = secret;
  if (typeof stringData !== 'object' || stringData === null) return;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  secret.data = { ...(secret.data as object | undefined), ...Object.fromEntries(encoded) };
  delete secret.stringData;
}
