import { type ConfigMap, configMapType } from '@lateen/api-types';
import { describeError, isAppError } from '@lateen/errors';
import {
  anyOf,
  globProblem,
  type NameTest,
  readList,
  readObject,
  readText,
  readTexts,
  yamlProblem,
  yamlTree,
} from '@lateen/item-filters';
import type { KubeApi } from '@lateen/kube';

/** Which objects get their owner references back (after-1.18.1.md 1C: the names are those of a design that is open upstream). */
export interface OwnerRules {
  /** Resources of the objects that are owned: `services`, `*.cnpg.io`. */
  readonly inScope: NameTest;
  /** Fields outside the metadata in which objects keep the uid of their owner. */
  readonly specRefPaths: readonly SpecRefPath[];
}

export interface SpecRefPath {
  /** `deployments.apps`. */
  readonly resource: string;
  /** `/spec/ownerUID`. */
  readonly path: string;
}

/** Controllers adopt these objects by labels or create them again; a restored owner reference would only interfere. */
const neverInScope: ReadonlySet<string> = new Set(['pods', 'replicasets.apps', 'replicationcontrollers', 'jobs.batch']);

export type OwnerRulesReading = { rules: OwnerRules | undefined } | { error: string };

/** Reads the rules that a restore names; `error` is a text for `status.validationErrors`. @throws KUBE_… for temporary failures */
export async function readOwnerRules(
  { kube, namespace }: { kube: KubeApi; namespace: string },
  name: string | undefined,
  signal: AbortSignal,
): Promise<OwnerRulesReading> {
  if (name === undefined || name === '') return { rules: undefined };
  try {
    const configMap = await kube.get(configMapType, { namespace, name }, { signal });
    return { rules: ownerRulesOf(configMap) };
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error) && error.retry !== 'never') throw error;
    return { error: `the owner reference ConfigMap ${namespace}/${name} cannot be used: ${describeError(error)}` };
  }
}

const readSpecRefPaths = readList(readObject({ resource: readText, path: readText }));
const known = ['inScope', 'specRefPaths'];

/** Each key of the data is a YAML list. @throws an error that says what is wrong */
export function ownerRulesOf({ data = {} }: Pick<ConfigMap, 'data'>): OwnerRules {
  // The design also pauses controllers during a restore; we do not, because a cancelled restore would leave them paused.
  const unknown = Object.keys(data).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`key "${unknown}" is not supported; known here: ${known.join(', ')}`);
  const resources = listOf('inScope', data.inScope, readTexts) ?? ['*'];
  for (const resource of resources) {
    const problem = globProblem(resource);
    if (problem !== undefined) throw new Error(`inScope: ${resource}: ${problem}`);
  }
  const isNamed = anyOf(resources);
  const paths = listOf('specRefPaths', data.specRefPaths, readSpecRefPaths) ?? [];
  return {
    inScope: (resource) => !neverInScope.has(resource) && isNamed(resource),
    specRefPaths: paths.map(({ resource = '', path = '' }, index) => {
      if (resource === '') throw new Error(`specRefPaths[${index}]: resource cannot be empty`);
      if (!path.startsWith('/')) throw new Error(`specRefPaths[${index}]: path must begin with /`);
      return { resource, path };
    }),
  };
}

function listOf<T>(
  key: string,
  text: string | undefined,
  read: (node: ReturnType<typeof yamlTree>, where: string) => T,
) {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return read(yamlTree(text), key);
  } catch (error) {
    throw new Error(`${key}: ${yamlProblem(error)}`, { cause: error });
  }
}
