import type { KubeObject } from '@lateen/api-types';
import { pairLines } from '../output/description.ts';

/** Name, namespace, labels and annotations; further pairs are below the first. Lines. */
export function metadataLines({ metadata }: KubeObject): string[] {
  const rows: [string, readonly string[]][] = [
    ['Name', [metadata.name ?? '']],
    ['Namespace', [metadata.namespace ?? '']],
    ['Labels', pairLines(metadata.labels)],
    ['Annotations', pairLines(metadata.annotations)],
  ];
  const width = 'Annotations:'.length + 2;
  return rows.flatMap(([key, values]) =>
    values.map((value, at) => `${(at === 0 ? `${key}:` : '').padEnd(width)}${value}`),
  );
}
