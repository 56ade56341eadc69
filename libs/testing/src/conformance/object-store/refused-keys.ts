import type { ObjectStore } from '@lateen/object-store';
import { expect } from 'vitest';
import { bytes, joined, some } from './bytes.ts';

/** Keys that a URL library, a proxy, a gateway or a file system may change into another key, and keys that no store can hold. */
const refusedByAll = [
  '',
  '/',
  '/abs',
  'x//y',
  '.',
  '..',
  '../out',
  'a/..',
  'a/../../out',
  './a',
  'a/./b',
  'a\\..\\out',
  '..\\out',
  'a\0b',
  'a\nb',
  'a\u007fb',
  '\ud800',
  'ü'.repeat(513),
];

/** All calls reject the keys that every store rejects, signed URLs included. Nothing is sent, so it needs no server. */
export async function expectRefusesKeys(store: ObjectStore): Promise<void> {
  for (const key of refusedByAll) {
    await expectRefused([...callsWith(store, key), store.signedUrl(key, { ttlMs: 60_000 })], key);
  }
}

/** The same for keys that only this store cannot hold; it may or may not sign URLs for them. */
export async function expectCannotHold(store: ObjectStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) await expectRefused(callsWith(store, key), key);
}

const callsWith = (store: ObjectStore, key: string): Promise<unknown>[] => [
  store.put(key, bytes('v')),
  store.get(key),
  store.exists(key),
  store.endAbandonedWrites(key),
  store.delete(key),
  store.write(key, some([bytes('v')])),
  joined(store.read(key)),
];

async function expectRefused(answers: readonly Promise<unknown>[], key: string): Promise<void> {
  for (const answer of await Promise.allSettled(answers)) {
    expect(answer, JSON.stringify(key)).toMatchObject({ status: 'rejected', reason: { code: 'OBJECT_KEY_INVALID' } });
  }
}
