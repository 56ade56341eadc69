import type { Unstructured } from '@lateen/kube';
import { type Engine, engineType, type Volume, volumeType } from '@lateen/storage-types';
import { storageKindDefinitions } from '@lateen/storage-types/definitions';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyDefinitions, definitionType, storageDefinitions, untilServed } from './apply-definitions.ts';
import { fullValue } from './full-object.ts';
import type { Schema } from './minimal-object.ts';
import { describeWithApiServer } from './with-api-server.ts';

const apiVersion = 'longhorn.io/v1beta2';
const schemas = new Map(
  storageDefinitions.map(({ spec }) => [spec.names.kind, spec.versions[0]?.schema.openAPIV3Schema ?? {}]),
);

await describeWithApiServer('deploy/crds-storage on a real kube-apiserver', (under) => {
  let namespace = '';
  beforeAll(async () => {
    namespace = await under.namespace();
    await applyDefinitions(under.kube, storageDefinitions);
    for (const { type } of storageKindDefinitions) await untilServed(under.kube, type);
  });

  it('are all 25, structural and served', async () => {
    const { items } = await under.kube.list(definitionType);
    const ours = items.filter(({ spec }) => spec.group === 'longhorn.io');
    expect(ours).toHaveLength(25);
    for (const { metadata, status } of ours as Unstructured[]) {
      const { conditions } = status as { conditions: { type: string; status: string }[] };
      const holding = conditions.filter((condition) => condition.status === 'True').map(({ type }) => type);
      expect([metadata.name, holding.sort()]).toEqual([metadata.name, ['Established', 'NamesAccepted']]);
    }
  });

  describe.each([false, true])(
    'every field of every kind is returned as it was written, null where possible: %s',
    (nulls) => {
      it.each(storageKindDefinitions.map(({ type }) => [type.kind, type] as const))('%s', async (kind, type) => {
        const { apiVersion: _, kind: __, metadata: ___, ...rest } = schemas.get(kind)?.properties ?? {};
        const written = fullValue({ type: 'object', properties: rest } satisfies Schema, nulls) as Record<
          string,
          unknown
        >;
        const name = `full-${nulls}`;
        const object = { apiVersion, kind, metadata: { name, namespace }, ...written } as Unstructured;
        const { status: early, ...created } = (await under.kube.create(type, object)) as Unstructured;
        expect(early).toBeUndefined();
        const { status } = object;
        await under.kube.update(type, { ...created, status } as Unstructured, { subresource: 'status' });
        const { metadata: ____, ...read } = (await under.kube.get(type, { namespace, name })) as Unstructured;
        expect(read).toEqual({ apiVersion, kind, ...written });
      });
    },
  );

  const volume = (name: string, spec: Volume['spec']): Volume => ({
    apiVersion,
    kind: 'Volume',
    metadata: { name, namespace },
    spec,
  });

  it('accepts the size of a volume only as a string', async () => {
    const made = await under.kube.create(volumeType, volume('text', { size: '10737418240' }));
    expect(made.spec.size).toBe('10737418240');
    const asNumber = volume('number', { size: 10_737_418_240 as unknown as string });
    await expect(under.kube.create(volumeType, asNumber)).rejects.toMatchObject({ code: 'KUBE_INVALID' });
  });

  it.each(['ten', '', '-1', '1.5', '99999999999999999999'])(
    'accepts %j as a size: only the manager checks it',
    async (size) => {
      const metadata = { generateName: 'size-', namespace };
      const made = await under.kube.create(volumeType, { ...volume('', { size }), metadata });
      expect(made.spec.size).toBe(size);
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ['a word that the list has not', { frontend: 'nbd' }],
    ['a block size of a backup that is not one of two', { backupBlockSize: '1' }],
    ['more than the greatest value', { rebuildConcurrentSyncLimit: 6 }],
  ])('rejects %s', async (_what, spec) => {
    await expect(under.kube.create(volumeType, volume('wrong', spec))).rejects.toMatchObject({ code: 'KUBE_INVALID' });
  });

  it('rejects a change of an immutable field, with the message', async () => {
    const made = await under.kube.create(volumeType, volume('fixed', { size: '2097152', encrypted: false }));
    const changed = under.kube.update(volumeType, { ...made, spec: { ...made.spec, encrypted: true } });
    await expect(changed).rejects.toMatchObject({
      code: 'KUBE_INVALID',
      message: expect.stringContaining('Encrypted is immutable'),
    });
  });

  it('drops a field that Longhorn does not have', async () => {
    const more = { size: '2097152', generation: 7 } as Volume['spec'];
    expect((await under.kube.create(volumeType, volume('more', more))).spec).toEqual({ size: '2097152' });
  });

  it('accepts any word as a state', async () => {
    const engine: Engine = { apiVersion, kind: 'Engine', metadata: { name: 'any', namespace }, spec: {} };
    const made = await under.kube.create(engineType, engine);
    const status = { currentState: 'dreaming' as 'running', replicaModeMap: { r: 'ERR' as const } };
    const options = { subresource: 'status' };
    expect((await under.kube.update(engineType, { ...made, status }, options)).status).toEqual(status);
  });
});
