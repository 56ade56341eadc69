import { type ConfigMap, configMapType, labels, type Secret, secretType } from '@lateen/api-types';
import type { KubeObject } from '@lateen/kube';
import {
  aDataDownload,
  aDataUpload,
  aSecret,
  FakeClock,
  fakeCluster,
  letTimePass,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { ownerReferenceTo } from '../owner.ts';
import { copiedLeftovers, copyBeside } from './copied-objects.ts';
import { takeAwayAll } from './take-away-all.ts';

const base = { apiVersion: 'velero.io/v2alpha1', namespace: 'velero' };
const first = { ...base, kind: 'DataUpload', name: 'up', uid: 'u-1' };
const second = { ...base, kind: 'DataDownload', name: 'down', uid: 'd-1' };
const signal = AbortSignal.any([]);
const names = { secretNames: ['kms-token'], configMapNames: ['kms-config'] };
const key = { namespace: 'velero', name: 'kms-token' };

const token = (namespace: string, value: string): Secret =>
  aSecret({ namespace, name: 'kms-token', values: { value } });
const config = (namespace: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name: 'kms-config' },
  data: { address: 'https://vault' },
});
const workloads = [
  token('app', 'one'),
  config('app'),
  token('shop', 'two'),
  config('shop'),
  token('twin', 'one'),
  config('twin'),
];

function setUp(...objects: KubeObject[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [
      aDataUpload({ name: 'up', uid: 'u-1' }),
      aDataDownload({ name: 'down', uid: 'd-1' }),
      ...workloads,
      ...objects,
    ],
  });
  const ports = { kube: cluster, clock, random: seededRandom(1), log: recordingLog() };
  const secret = () => cluster.find(secretType, key);
  const value = () => Buffer.from(secret()?.data?.value ?? '', 'base64').toString();
  const owners = () => secret()?.metadata.ownerReferences?.map(({ uid }) => uid);
  const copy = (owner: typeof first, from: string) => copyBeside(ports, owner, { from, names }, signal);
  const cleanUp = (owner: typeof first) => takeAwayAll(owner, copiedLeftovers(cluster, owner, names, signal), signal);
  return { clock, cluster, ports, secret, value, owners, copy, cleanUp };
}

describe('Secrets and ConfigMaps that a CSI driver needs in the namespace of a claim', () => {
  it('are copied under their own names as long as a movement needs them', async () => {
    const { cluster, secret, copy, cleanUp, value } = setUp();
    await copy(first, 'app');
    await copy(first, 'app');
    expect(value()).toBe('one');
    expect(secret()?.metadata).toMatchObject({
      labels: { [labels.copiedFrom]: 'app' },
      ownerReferences: [{ ...ownerReferenceTo(first), controller: false }],
    });
    expect(cluster.find(configMapType, { namespace: 'velero', name: 'kms-config' })?.data).toEqual({
      address: 'https://vault',
    });
    await cleanUp(second);
    expect(secret()).toBeDefined();
    await cleanUp(first);
    await cleanUp(first);
    expect([secret(), cluster.find(configMapType, { namespace: 'velero', name: 'kms-config' })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(cluster.find(secretType, { namespace: 'app', name: 'kms-token' })).toBeDefined();
  });

  it('are shared by movements that need the same copies, and deleted with the last of them', async () => {
    const { secret, copy, cleanUp, owners } = setUp();
    await copy(first, 'app');
    await copy(second, 'twin');
    expect(owners()).toEqual(['u-1', 'd-1']);
    await cleanUp(first);
    expect(owners()).toEqual(['d-1']);
    await cleanUp(second);
    expect(secret()).toBeUndefined();
  });

  it('delay a movement that needs another object of the same name', async () => {
    const { clock, ports, copy, cleanUp, value } = setUp();
    await copy(first, 'app');
    void clock.sleep(20_000, signal).then(() => cleanUp(first));
    await letTimePass(copy(second, 'shop'), clock);
    expect(value()).toBe('two');
    expect(ports.log.lines.map(({ message }) => message)).toEqual([
      'waits for movements of another namespace, which use another one',
    ]);
    expect(JSON.stringify(ports.log.lines)).not.toContain(token('shop', 'two').data?.value);
  });

  it('are copied again when a movement is retried', async () => {
    const { cluster, copy, value, owners } = setUp();
    await copy(first, 'app');
    cluster.put(token('app', 'renewed'));
    await copy(first, 'app');
    expect([value(), owners()]).toEqual(['renewed', ['u-1']]);
  });

  it('survive concurrent writes', async () => {
    const { cluster, clock, copy, cleanUp, owners, secret } = setUp();
    await copy(first, 'app');
    cluster.failOnce('update', secretType, 'KUBE_CONFLICT');
    await letTimePass(copy(second, 'app'), clock);
    expect(owners()).toEqual(['u-1', 'd-1']);
    cluster.failOnce('update', secretType, 'KUBE_CONFLICT');
    await cleanUp(first);
    cluster.failOnce('delete', secretType, 'KUBE_CONFLICT');
    await cleanUp(second);
    expect(secret()).toBeUndefined();
  });

  it('are used as they are and left alone when Lateen did not copy them', async () => {
    const { copy, cleanUp, value } = setUp(token('velero', 'of the administrator'));
    await copy(first, 'app');
    await cleanUp(first);
    expect(value()).toBe('of the administrator');
  });

  it('are reported when the source is missing or not readable, with the next step', async () => {
    const { cluster, copy } = setUp();
    await expect(copy(first, 'empty')).rejects.toMatchObject({
      code: 'EXPOSE_NOTHING_TO_COPY',
      message: expect.stringContaining('Secret empty/kms-token does not exist'),
      nextStep: expect.stringContaining('secretNames'),
    });
    cluster.failOnce('get', secretType, 'KUBE_FORBIDDEN');
    await expect(copy(first, 'app')).rejects.toMatchObject({
      code: 'EXPOSE_COPY_FORBIDDEN',
      nextStep: expect.stringMatching(/get Secret kms-token in namespace app, and create, update and delete secrets/),
    });
  });

  it('cost no call when none is configured, or when source and target namespace are equal', async () => {
    const { cluster, ports } = setUp();
    const before = cluster.calls.length;
    await copyBeside(ports, first, { from: 'app', names: {} }, signal);
    await copyBeside(ports, first, { from: 'velero', names }, signal);
    expect(copiedLeftovers(cluster, first, {}, signal)).toEqual([]);
    expect(cluster.calls.slice(before)).toEqual([]);
  });
});
