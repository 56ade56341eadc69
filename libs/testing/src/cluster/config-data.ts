import type { ResourceType, Unstructured } from '@lateen/kube';
import { invalid } from './api-error.ts';
import { typeKeyOf } from './store.ts';

/** Processing of the data of ConfigMaps and Secrets before it is stored, as in the API server. @throws KUBE_INVALID */
export function storeData(type: ResourceType, object: Unstructured): void {
  const typeKey = typeKeyOf(type);
  if (typeKey === '/Secret') encodeSecret(object);
  if (typeKey === '/Secret' || typeKey === '/ConfigMap') checkDataKeys(type, object);
}

/** `stringData` is write-only: the API server moves it, in base64, into `data`. */
function encodeSecret(secret: Unstructured): void {
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

const dataKey = /^[-._a-zA-Z0-9]+$/;

/** Keys become file names, so their characters are restricted. */
function checkDataKeys(type: ResourceType, object: Unstructured): void {
  for (const field of ['data', 'binaryData']) {
    for (const key of Object.keys((object[field] as object | null | undefined) ?? {})) {
      if (dataKey.test(key)) continue;
      const rule =
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
      throw invalid(type, object.metadata.name ?? '', `${field}[${key}]: Invalid value: "${key}": ${rule}`);
    }
  }
}
