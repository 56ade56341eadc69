import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { describeDifference } from './differences.ts';
import { generate } from './generate.ts';
import { storageKinds } from './kind-groups.ts';
import { differencesFromReference, referenceCrds } from './reference-crds.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const reference = referenceCrds(root, 'longhorn-crds');

const schema = 'spec.versions[0].schema.openAPIV3Schema';
const spec = `${schema}.properties.spec.properties`;
const status = `${schema}.properties.status.properties`;
const columns = 'spec.versions[0].additionalPrinterColumns';

/** A planted difference: the kind, the place, and the value there; undefined removes it. */
const planted: readonly [what: string, kind: string, path: string, value: unknown][] = [
  ['a kind', 'volumes', 'spec.names.kind', 'Volum'],
  ['a list kind', 'nodes', 'spec.names.listKind', 'Nodes'],
  ['a plural', 'volumes', 'spec.names.plural', 'volume'],
  ['a singular', 'volumes', 'spec.names.singular', 'vol'],
  ['a short name', 'volumes', 'spec.names.shortNames[0]', 'lv'],
  ['a group', 'volumes', 'spec.group', 'longhorn.rancher.io'],
  ['a scope', 'settings', 'spec.scope', 'Cluster'],
  ['a version', 'volumes', 'spec.versions[0].name', 'v1beta1'],
  ['a version that is not served', 'volumes', 'spec.versions[0].served', false],
  ['a version that is not stored', 'volumes', 'spec.versions[0].storage', false],
  ['a status without a resource', 'volumes', 'spec.versions[0].subresources.status', undefined],
  ['no sub-resources', 'orphans', 'spec.versions[0].subresources', undefined],
  ['a column', 'volumes', `${columns}[8]`, { name: 'More', type: 'string', jsonPath: '.spec.size' }],
  ['a column that is gone', 'volumes', columns, undefined],
  ["a column's name", 'volumes', `${columns}[0].name`, 'Engine'],
  ["a column's path", 'backuptargets', `${columns}[2].jsonPath`, '.status.lastBackupAt'],
  ["a column's type", 'engineimages', `${columns}[4].type`, 'string'],
  ["a column's priority", 'volumes', `${columns}[6].priority`, undefined],
  ['a 64-bit text', 'volumes', `${spec}.size.format`, undefined],
  ['a number instead of a text', 'volumes', `${spec}.size.type`, 'integer'],
  ['words without their format', 'volumes', `${spec}.backupBlockSize.format`, undefined],
  ['a word', 'backups', `${spec}.backupBlockSize.enum[0]`, '0'],
  ['a word more', 'volumes', `${spec}.frontend.enum[5]`, 'nbd'],
  ['the order of words', 'volumes', `${spec}.offlineRebuilding.enum[1]`, 'enabled'],
  ['words where any text is allowed', 'volumes', `${status}.state.enum`, ['attached']],
  ['32 bits', 'engines', `${status}.ublkID.format`, 'int64'],
  ['64 bits', 'volumes', `${status}.actualSize.format`, undefined],
  ['a moment', 'nodes', `${status}.snapshotCheckStatus.properties.lastPeriodicCheckedAt.format`, undefined],
  ['a moment that is any text', 'replicas', `${spec}.failedAt.format`, 'date-time'],
  ['a least value', 'volumes', `${spec}.rebuildConcurrentSyncLimit.minimum`, 1],
  ['a greatest value', 'volumes', `${spec}.rebuildConcurrentSyncLimit.maximum`, undefined],
  ['a least length', 'engineimages', `${spec}.image.minLength`, undefined],
  ['a rule', 'volumes', `${spec}.encrypted['x-kubernetes-validations'][0].rule`, 'true'],
  ["a rule's message", 'volumes', `${spec}.backingImage['x-kubernetes-validations'][0].message`, 'no'],
  ['a rule of an object', 'volumes', `${spec}.dataLayout['x-kubernetes-validations']`, undefined],
  [
    'a rule until it is set',
    'shardgroups',
    `${spec}.creationSize['x-kubernetes-validations'][0].rule`,
    'self == oldSelf',
  ],
  ['a root field', 'settings', `${schema}.properties.value`, undefined],
  ['a required root field', 'settings', `${schema}.required`, undefined],
  ['a required spec', 'volumes', `${schema}.required`, ['spec']],
  ['a required field', 'volumeattachments', `${schema}.properties.spec.required`, undefined],
  ['a required status', 'settings', `${schema}.properties.status.required[0]`, 'value'],
  ['a nullable list', 'volumes', `${status}.conditions.nullable`, undefined],
  ['a nullable map', 'engines', `${status}.replicaModeMap.nullable`, undefined],
  ['a map that is not nullable', 'engines', `${status}.replicaTransitionTimeMap.nullable`, true],
  ['a nullable text', 'backupvolumes', `${spec}.backupTargetName.nullable`, undefined],
  [
    'values of a map',
    'nodes',
    `${status}.diskStatus.additionalProperties.properties.scheduledReplica.additionalProperties.format`,
    undefined,
  ],
  ['items of a list', 'volumes', `${spec}.nodeSelector.items.type`, 'integer'],
  ['a default', 'backingimages', `${spec}.dataEngine.default`, 'v2'],
  ['a capital letter', 'volumes', `${spec}.Standby`, undefined],
  ['a field of ours', 'replicas', `${spec}.generation`, { type: 'integer' }],
];

describe.skipIf(!reference.isThere)(`the generated CRDs of longhorn.io${reference.skipped}`, () => {
  const generated = reference.isThere ? generate(root, storageKinds) : new Map<string, string>();
  const ours = new Map([...generated].map(([name, text]) => [name, load(text)]));
  const theirs = new Map(reference.names.map((name) => [name, reference.read(name)]));

  it('are those of Longhorn, no more and no fewer', () => {
    expect(reference.names).toHaveLength(25);
    expect([...generated.keys()].filter((name) => name !== 'kustomization.yaml').sort()).toEqual(
      [...reference.names].sort(),
    );
  });

  it.each(reference.names)("equal Longhorn's except for descriptions, with nothing added: %s", (name) => {
    expect(differencesFromReference(theirs.get(name), ours.get(name)).map(describeDifference)).toEqual([]);
  });

  it.each(planted)('a planted difference is found and named: %s', (_what, kind, path, value) => {
    const name = `longhorn.io_${kind}.yaml`;
    const changed = structuredClone(ours.get(name));
    plant(changed, path, value);
    const [difference, ...others] = differencesFromReference(theirs.get(name), changed);
    expect(others).toEqual([]);
    expect(difference?.path).toBe(path.replaceAll(/\['([^']+)'\]/g, '.$1'));
  });
});

/** Sets a value at a place; undefined removes it. @throws when the place does not exist */
function plant(document: unknown, path: string, value: unknown): void {
  const keys = [...path.matchAll(/[^.[\]']+/g)].map(([key]) => key);
  const last = keys.pop() ?? '';
  let at = document as Record<string, unknown>;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  if (value !== undefined) at[last] = value;
  else if (!Reflect.has(at, last)) throw new Error(`${path} is not there`);
  else delete at[last];
}
