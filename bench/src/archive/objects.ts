import { createHash } from 'node:crypto';

/** An entry for each of an object's two paths, and its body. */
export interface BenchObject {
  paths: readonly [string, string];
  body: string;
}

/** Always the same, and no more similar to each other than objects of a cluster. */
const words = (seed: string): string => createHash('sha256').update(seed).digest('base64');

/** ConfigMaps of 1 KiB as the API server returns them, with managed fields. */
export function benchObjects(count: number): BenchObject[] {
  return Array.from({ length: count }, (_, index) => {
    const [namespace, name] = [`team-${index % 50}`, `settings-${index}`];
    const body = JSON.stringify(configMap(namespace, name, index));
    const at = (version: string) => `resources/configmaps/${version}namespaces/${namespace}/${name}.json`;
    return { paths: [at(''), at('v1-preferredversion/')], body };
  });
}

function configMap(namespace: string, name: string, index: number) {
  const uid = words(`uid ${index}`).slice(0, 36);
  const keys = ['endpoint', 'features', 'limits', 'owner'];
  return {
    apiVersion: 'v1',
    data: Object.fromEntries(
      keys.map((key) => [
        key,
        words(`${key} ${index}`)
          .repeat(2)
          .slice(0, 60 + (index % 40)),
      ]),
    ),
    kind: 'ConfigMap',
    metadata: {
      annotations: { 'example.com/checksum': words(`sum ${index}`) },
      creationTimestamp: '2026-01-02T03:04:05Z',
      labels: { 'app.kubernetes.io/name': `app-${index % 200}`, 'app.kubernetes.io/part-of': 'shop' },
      managedFields: [
        {
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: Object.fromEntries([['f:data', Object.fromEntries(keys.map((key) => [`f:${key}`, {}]))]]),
          manager: 'kubectl-client-side-apply',
          operation: 'Update',
          time: '2026-01-02T03:04:05Z',
        },
      ],
      name,
      namespace,
      resourceVersion: String(1_000_000 + index * 7),
      uid,
    },
  };
}
