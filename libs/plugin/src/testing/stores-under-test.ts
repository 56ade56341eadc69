import { Buffer } from 'node:buffer';
import type { KubeObject, Unstructured } from '@lateen/api-types';
import { stringify } from '@lateen/kube';
import type { ObjectStore } from '../contract/object-store.ts';
import type { VolumeSnapshotter } from '../contract/volume-snapshotter.ts';
import { readItem } from '../wire/json-bytes.ts';
import type { PluginCalls } from './plugin-calls.ts';

/** The contract without the context, which the program creates. */
type WithoutContext<T> = {
  [Method in keyof T]: T[Method] extends (input: infer Input, context: never) => infer Result
    ? (input: Input) => Promise<Awaited<Result>>
    : never;
};

export type VolumeSnapshotterUnderTest = Omit<WithoutContext<VolumeSnapshotter>, 'getVolumeId' | 'setVolumeId'> & {
  getVolumeId(input: { persistentVolume: KubeObject }): Promise<string>;
  setVolumeId(input: { persistentVolume: KubeObject; volumeId: string }): Promise<Unstructured>;
};

export interface StorePlace {
  calls: PluginCalls;
  name: string;
  config: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

const json = (value: unknown): Buffer => Buffer.from(stringify(value));

/** A snapshotter with its configuration. */
export async function volumeSnapshotterUnderTest(place: StorePlace): Promise<VolumeSnapshotterUnderTest> {
  const { name: plugin, config, signal } = place;
  const { volumeSnapshotter: calls } = place.calls;
  await calls.init({ plugin, config }, { signal });
  return {
    getVolumeId: async ({ persistentVolume }) =>
      (await calls.getVolumeId({ plugin, persistentVolume: json(persistentVolume) }, { signal })).volumeID,
    setVolumeId: async ({ persistentVolume, volumeId }) => {
      const request = { plugin, persistentVolume: json(persistentVolume), volumeID: volumeId };
      return readItem((await calls.setVolumeId(request, { signal })).persistentVolume, 'persistentVolume');
    },
    getVolumeInfo: async ({ volumeId, volumeZone }) => {
      const request = { plugin, volumeID: volumeId, volumeAZ: volumeZone };
      const { volumeType, iops } = await calls.getVolumeInfo(request, { signal });
      return { volumeType, ...(iops === 0n ? {} : { iops: Number(iops) }) };
    },
    createSnapshot: async ({ volumeId, volumeZone, tags }) => {
      const request = { plugin, volumeID: volumeId, volumeAZ: volumeZone, tags };
      return (await calls.createSnapshot(request, { signal })).snapshotID;
    },
    deleteSnapshot: async ({ snapshotId }) =>
      void (await calls.deleteSnapshot({ plugin, snapshotID: snapshotId }, { signal })),
    createVolumeFromSnapshot: async ({ snapshotId, volumeType, volumeZone, iops = 0 }) => {
      const request = { plugin, snapshotID: snapshotId, volumeType, volumeAZ: volumeZone, iops: BigInt(iops) };
      return (await calls.createVolumeFromSnapshot(request, { signal })).volumeID;
    },
  };
}

export type ObjectStoreUnderTest = Omit<WithoutContext<ObjectStore>, 'putObject' | 'getObject'> & {
  putObject(input: { bucket: string; key: string; body: string | Uint8Array }): Promise<void>;
  /** The whole object. */
  getObject(input: { bucket: string; key: string }): Promise<Buffer>;
};

/** Chunks of a body, as hosts in Go send them. */
const pieceBytes = 16 * 1024;

/** A store with its configuration. */
export async function objectStoreUnderTest(place: StorePlace): Promise<ObjectStoreUnderTest> {
  const { name: plugin, config, signal } = place;
  const { objectStore: calls } = place.calls;
  await calls.init({ plugin, config }, { signal });
  return {
    putObject: async ({ bucket, key, body }) => {
      const whole = Buffer.from(body);
      async function* requests() {
        for (let from = 0; from === 0 || from < whole.length; from += pieceBytes)
          yield { plugin, bucket, key, body: whole.subarray(from, from + pieceBytes) };
      }
      await calls.putObject(requests(), { signal });
    },
    getObject: async ({ bucket, key }) => {
      const pieces: Uint8Array[] = [];
      for await (const { data } of calls.getObject({ plugin, bucket, key }, { signal })) pieces.push(data);
      return Buffer.concat(pieces);
    },
    objectExists: async ({ bucket, key }) => (await calls.objectExists({ plugin, bucket, key }, { signal })).exists,
    listCommonPrefixes: async ({ bucket, prefix, delimiter }) =>
      (await calls.listCommonPrefixes({ plugin, bucket, prefix, delimiter }, { signal })).prefixes,
    listObjects: async ({ bucket, prefix }) => (await calls.listObjects({ plugin, bucket, prefix }, { signal })).keys,
    deleteObject: async ({ bucket, key }) => void (await calls.deleteObject({ plugin, bucket, key }, { signal })),
    createSignedUrl: async ({ bucket, key, ttlMs }) => {
      const request = { plugin, bucket, key, ttl: BigInt(ttlMs) * 1_000_000n };
      return (await calls.createSignedUrl(request, { signal })).url;
    },
  };
}
