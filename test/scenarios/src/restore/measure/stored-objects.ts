import type { Unstructured } from '@lateen/api-types';
import { archiveWriter, itemPaths } from '@lateen/archive';

export interface StoredShape {
  configMaps: number;
  secrets: number;
  /** Size of the text in each. */
  bodyBytes: number;
  namespace: string;
}

const words = 'listen 10.0.0.1:8080; version 1.2.3; retry after 0.5 s; ';

/** ConfigMaps and Secrets as stored in a backup, with the fields that the API server adds. */
export function* storedObjects({ configMaps, secrets, bodyBytes, namespace }: StoredShape): Generator<Unstructured> {
  const text = words.repeat(Math.ceil(bodyBytes / words.length)).slice(0, bodyBytes);
  const base64 = Buffer.from(text)
    .toString('base64')
    .slice(0, bodyBytes - (bodyBytes % 4));
  for (let at = 0; at < configMaps; at++)
    yield {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: meta(namespace, `map-${at}`, 'f:data'),
      data: { conf: text },
    };
  for (let at = 0; at < secrets; at++) {
    const metadata = meta(namespace, `secret-${at}`, 'f:data');
    yield { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { key: base64 } };
  }
}

const meta = (namespace: string, name: string, field: string) => ({
  name,
  namespace,
  uid: `00000000-0000-4000-8000-${name.padStart(12, '0').slice(-12)}`,
  resourceVersion: '1234567',
  creationTimestamp: '2026-01-02T03:04:05Z',
  labels: { app: 'filled', 'app.kubernetes.io/part-of': 'shop' },
  managedFields: [
    {
      manager: 'kubectl-create',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-02T03:04:05Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { [field]: { '.': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } },
    },
  ],
});

/** Their archive, generated while it is read. */
export async function* archiveOf(shape: StoredShape): AsyncGenerator<Uint8Array> {
  const writer = archiveWriter({ mtimeMs: 0 });
  const writing = (async () => {
    for (const object of storedObjects(shape)) {
      const { name = '', namespace = '' } = object.metadata;
      const groupResource = object.kind === 'Secret' ? 'secrets' : 'configmaps';
      const body = JSON.stringify(object);
      for (const path of itemPaths({ groupResource, name, namespace, version: 'v1', preferred: true })) {
        const behind = writer.add(path, body);
        if (behind !== undefined) await behind;
      }
    }
    await writer.end();
  })();
  // Set by the reader.
  writing.catch(() => {});
  yield* writer.pieces;
}
