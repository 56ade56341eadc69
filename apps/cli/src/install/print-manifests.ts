import { AppError } from '@lateen/errors';
import type { Unstructured } from '@lateen/kube';
import { dump } from 'js-yaml';

export const manifestFormats = ['yaml', 'json'] as const;
export type ManifestFormat = (typeof manifestFormats)[number];

/** Not base64, so that an API server refuses the Secret instead of storing this text as its content. */
export const hiddenValue = '<hidden: print it with --show-secrets>';

/** @throws AppError BAD_FLAG naming the formats */
export function parseManifestFormat(text: string): ManifestFormat {
  const found = manifestFormats.find((format) => format === text);
  if (found !== undefined) return found;
  throw new AppError('BAD_FLAG', `--output "${text}" is not a format`, { nextStep: 'Use yaml or json.' });
}

/** The objects, with the values of Secrets replaced. */
export function withoutSecrets(objects: readonly Unstructured[]): Unstructured[] {
  return objects.map((object) => {
    if (object.kind !== 'Secret') return object;
    const { data = {}, stringData: _, ...rest } = object;
    return { ...rest, data: Object.fromEntries(Object.keys(data as object).map((key) => [key, hiddenValue])) };
  });
}

/** In the form that `kubectl apply -f -` reads: YAML documents, or one List in JSON. */
export function printManifests(objects: readonly Unstructured[], format: ManifestFormat): string {
  if (format === 'yaml') return objects.map((object) => dump(object, { noRefs: true, lineWidth: -1 })).join('---\n');
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 2)}\n`;
}
