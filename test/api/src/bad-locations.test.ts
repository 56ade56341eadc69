import { readFileSync } from 'node:fs';
import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { load } from 'js-yaml';
import { beforeAll, expect, it } from 'vitest';
import { describeWithApiServer } from './with-api-server.ts';

const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

const definition = load(
  readFileSync(new URL('../../../deploy/crds/velero.io_backupstoragelocations.yaml', import.meta.url), 'utf8'),
) as Unstructured;

/** The text before each message. */
const invalid = 'BackupStorageLocation.velero.io "wrong" is invalid: ';

const good = { provider: 'aws', objectStorage: { bucket: 'backups' } };

/** Mistakes that the definition rejects; those that it accepts are in test/scenarios/src/locations/bad-locations.test.ts. */
const rows: { name: string; spec: unknown; message: string }[] = [
  {
    name: 'a spec that is a number',
    spec: 5,
    message: 'spec: Invalid value: "integer": spec in body must be of type object: "integer"',
  },
  { name: 'no provider', spec: { objectStorage: { bucket: 'b' } }, message: 'spec.provider: Required value' },
  { name: 'no objectStorage', spec: { provider: 'aws' }, message: 'spec.objectStorage: Required value' },
  {
    name: 'no bucket',
    spec: { provider: 'aws', objectStorage: {} },
    message: 'spec.objectStorage.bucket: Required value',
  },
  { name: 'a provider that is null', spec: { ...good, provider: null }, message: 'spec.provider: Required value' },
  {
    name: 'a bucket that is a number',
    spec: { ...good, objectStorage: { bucket: 5 } },
    message:
      'spec.objectStorage.bucket: Invalid value: "integer": spec.objectStorage.bucket in body must be of type string: "integer"',
  },
  {
    name: 'buckets in a list',
    spec: { ...good, objectStorage: { bucket: ['a', 'b'] } },
    message:
      'spec.objectStorage.bucket: Invalid value: "array": spec.objectStorage.bucket in body must be of type string: "array"',
  },
  {
    name: 'a prefix that is a boolean',
    spec: { ...good, objectStorage: { bucket: 'b', prefix: true } },
    message:
      'spec.objectStorage.prefix: Invalid value: "boolean": spec.objectStorage.prefix in body must be of type string: "boolean"',
  },
  {
    name: 'a CA that is not base64',
    spec: { ...good, objectStorage: { bucket: 'b', caCert: '§' } },
    message:
      'spec.objectStorage.caCert: Invalid value: "§": spec.objectStorage.caCert in body must be of type byte: "§"',
  },
  {
    name: 'a reference to a CA without key',
    spec: { ...good, objectStorage: { bucket: 'b', caCertRef: { name: 'n' } } },
    message: 'spec.objectStorage.caCertRef.key: Required value',
  },
  {
    name: 'a Secret without key',
    spec: { ...good, credential: { name: 'n' } },
    message: 'spec.credential.key: Required value',
  },
  {
    name: 'a Secret by name alone',
    spec: { ...good, credential: 'n' },
    message: 'spec.credential: Invalid value: "string": spec.credential in body must be of type object: "string"',
  },
  {
    name: 'an unknown access mode',
    spec: { ...good, accessMode: 'WriteOnly' },
    message: 'spec.accessMode: Unsupported value: "WriteOnly": supported values: "ReadOnly", "ReadWrite"',
  },
  {
    name: 'a default that is a text',
    spec: { ...good, default: 'true' },
    message: 'spec.default: Invalid value: "string": spec.default in body must be of type boolean: "string"',
  },
  {
    name: 'a config value that is a number',
    spec: { ...good, config: { region: 5 } },
    message:
      'spec.config.region: Invalid value: "integer": spec.config.region in body must be of type string: "integer"',
  },
  {
    name: 'a config that is a text',
    spec: { ...good, config: 'region=r' },
    message: 'spec.config: Invalid value: "string": spec.config in body must be of type object: "string"',
  },
  {
    name: 'a frequency that is a number',
    spec: { ...good, validationFrequency: 60 },
    message:
      'spec.validationFrequency: Invalid value: "integer": spec.validationFrequency in body must be of type string: "integer"',
  },
  {
    name: 'a sync period that is a number',
    spec: { ...good, backupSyncPeriod: 60 },
    message:
      'spec.backupSyncPeriod: Invalid value: "integer": spec.backupSyncPeriod in body must be of type string: "integer"',
  },
];

await describeWithApiServer('an invalid BackupStorageLocation on a real kube-apiserver', (under) => {
  let namespace = '';
  const create = (spec: unknown) => {
    const location = {
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { name: 'wrong', namespace },
      spec,
    };
    return under.kube.create(backupStorageLocationType, location as BackupStorageLocation);
  };
  beforeAll(async () => {
    namespace = await under.namespace();
    const name = definition.metadata.name ?? '';
    await under.kube.patch(
      definitionType,
      { name },
      { type: 'apply', body: definition, force: true },
      { fieldManager: 'test' },
    );
  });

  it('is of a kind that is served', async () => {
    const served = async () => (await under.kube.list(backupStorageLocationType, { namespace })).items;
    await expect.poll(() => served().catch(() => undefined), { timeout: 100_000 }).toEqual([]);
  });

  it.each(rows)('is rejected for $name', async ({ spec, message }) => {
    const error: unknown = await create(spec).catch((reason: unknown) => reason);
    expect(isAppError(error, 'KUBE_INVALID') && error.message).toBe(invalid + message);
  });

  it('cannot name a Secret of another namespace: the field is dropped', async () => {
    const created = await create({ ...good, credential: { name: 'n', key: 'k', namespace: 'kube-system' } });
    expect(created.spec.credential).toEqual({ name: 'n', key: 'k' });
  });
});
