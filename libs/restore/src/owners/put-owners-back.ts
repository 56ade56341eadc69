import {
  annotations,
  getValidName,
  labels,
  type OwnerReference,
  type Restore,
  type Unstructured,
} from '@lateen/api-types';
import { eachAtOnce, type Logger } from '@lateen/kernel';
import {
  type DiscoveredType,
  type Discovery,
  groupResourceText,
  isNotFound,
  type KubeApi,
  keyOf,
  listIfServed,
  matchResourceType,
  readObject,
  retryOnConflict,
} from '@lateen/kube';
import type { RunProblem } from '@lateen/run';
import { type FoundOwner, ownedAgain } from './owned-again.ts';
import { markedOwners } from './owner-marks.ts';
import type { OwnerRules } from './owner-rules.ts';

/** How many lists and writes run at the same time; few, because the cluster has other work. */
const atOnceMax = 8;

export interface OwnerPorts {
  kube: KubeApi;
  discovery: Discovery;
  log: Logger;
}

/**
 * Restores the owner references between the objects of a restore. Safe to repeat: finished objects have lost their annotation.
 * @returns permanent failures; @throws failures that may not happen the next time; the signal's reason
 */
export async function putOwnersBack(
  ports: OwnerPorts,
  restore: Restore,
  rules: OwnerRules,
  signal: AbortSignal,
): Promise<RunProblem[]> {
  const types = await ports.discovery.resourceTypes({ fresh: true, signal });
  const problems: RunProblem[] = [];
  const labelSelector = `${labels.restoreName}=${getValidName(restore.metadata.name ?? '')}`;
  await eachAtOnce(typesInScope(types, rules), atOnceMax, async (type) => {
    const options = { labelSelector, metadataOnly: true, signal };
    const listed = (await listIfServed(ports.kube, type, options)) as Unstructured[];
    for (const object of listed.filter((each) => markedOwners(each) !== undefined)) {
      try {
        await retryOnConflict(() => linkOne(ports, { restore, rules, types, type, object }, signal));
      } catch (error) {
        signal.throwIfAborted();
        const { namespace, name } = object.metadata;
        const where = namespace === undefined ? {} : { namespace };
        const fields = { resource: groupResourceText(type), ...where, name, err: error };
        problems.push({ fields, message: 'Owner references could not be put back' });
      }
    }
  });
  return problems;
}

const typesInScope = (types: readonly DiscoveredType[], { inScope }: OwnerRules): DiscoveredType[] =>
  types.filter(
    (type) =>
      type.preferred &&
      inScope(groupResourceText(type)) &&
      ['list', 'get', 'patch'].every((verb) => type.verbs.includes(verb)),
  );

interface Linking {
  restore: Restore;
  rules: OwnerRules;
  types: readonly DiscoveredType[];
  type: DiscoveredType;
  object: Unstructured;
}

async function linkOne(ports: OwnerPorts, linking: Linking, signal: AbortSignal): Promise<void> {
  const { kube, log } = ports;
  const { type, rules } = linking;
  const key = keyOf(linking.object);
  let object: Unstructured;
  try {
    object = (await kube.get(type, key, { numbers: 'exact', signal })) as Unstructured;
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const found: FoundOwner[] = [];
  for (const reference of markedOwners(object) ?? []) {
    const uid = await uidNow(ports, linking, reference, signal);
    if (uid !== undefined) found.push({ reference, uid });
    else log.info({ ...key, owner: `${reference.kind} ${reference.name}` }, 'owner was not restored');
  }
  const { metadata, ...rest } = ownedAgain(object, found, groupResourceText(type), rules);
  const changed = Object.entries(rest).filter(([field, value]) => value !== object[field]);
  const { ownerReferences } = metadata;
  const { resourceVersion } = object.metadata;
  const marks = { annotations: { [annotations.ownersInBackup]: null } };
  const body = { ...Object.fromEntries(changed), metadata: { resourceVersion, ownerReferences, ...marks } };
  // A patch, because the controller has no right to update objects of every kind.
  await kube.patch(type, key, { type: 'merge', body }, { signal });
}

/** The uid of the owner if this restore created it or it is still the backed-up object; another object of its name does not count. */
async function uidNow(
  { kube }: OwnerPorts,
  { restore, types, object }: Linking,
  { apiVersion, kind, name, uid }: OwnerReference,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [, group = ''] = apiVersion.split('/').toReversed();
  const type = matchResourceType(types, { group, kind });
  if (type === undefined) return undefined;
  const { namespace } = object.metadata;
  const key = type.namespaced && namespace !== undefined ? { namespace, name } : { name };
  const owner = await readObject(kube, type, key, signal);
  if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return undefined;
  const isRestored = owner.metadata.labels?.[labels.restoreName] === getValidName(restore.metadata.name ?? '');
  return isRestored || owner.metadata.uid === uid ? owner.metadata.uid : undefined;
}
