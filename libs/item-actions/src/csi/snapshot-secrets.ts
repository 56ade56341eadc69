import { annotations } from '@lateen/api-types';
import type { ItemIdentifier } from '../contract/item-identifier.ts';

/** The keys of the name and the namespace of each Secret. */
const secretKeys: readonly (readonly [name: string, namespace: string])[] = [
  [annotations.snapshotterListSecretName, annotations.snapshotterListSecretNamespace],
  [annotations.snapshotterSecretName, annotations.snapshotterSecretNamespace],
  [annotations.deletionSecretName, annotations.deletionSecretNamespace],
];

/**
 * The Secrets that annotations or parameters name, each once. Names with `${…}` are templates that are filled in per snapshot: no
 * Secret has such a name.
 */
export function secretsIn(...sources: readonly Readonly<Record<string, string>>[]): ItemIdentifier[] {
  const secrets = sources.flatMap((values) =>
    secretKeys.flatMap(([nameKey, namespaceKey]) => {
      const { [nameKey]: name = '', [namespaceKey]: namespace = '' } = values;
      const isNamed = name !== '' && namespace !== '' && !`${name}${namespace}`.includes('${');
      return isNamed ? [{ group: '', resource: 'secrets', namespace, name }] : [];
    }),
  );
  return [...new Map(secrets.map((each) => [`${each.namespace}/${each.name}`, each])).values()];
}
