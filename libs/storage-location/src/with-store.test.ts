import {
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  fakeCluster,
  memoryObjectStore,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { withStore } from './with-store.ts';

const { signal } = new AbortController();
const cloud = '[default]\naws_access_key_id=A\naws_secret_access_key=S\n';

function setUp(values = { cloud }) {
  const secret = aSecret({ name: 'cloud-credentials', namespace: 'velero', values });
  const kube = fakeCluster({ clock: new FakeClock(), random: seededRandom(1), objects: [secret] });
  const store = memoryObjectStore({ objects: { 'p/backups/b': 'x' } });
  const location = aBackupStorageLocation({ spec: { objectStorage: { bucket: 'b', prefix: 'p' } } });
  const opened: string[] = [];
  const openStore = ({ bucket }: { bucket: string }) => {
    opened.push(bucket);
    return store;
  };
  const listAccountKey = () => Promise.reject(new Error('nobody is to be asked'));
  return { ports: { kube, openStore, listAccountKey }, location, store, opened };
}

describe('withStore', () => {
  it('passes the store and the location, and closes the store afterwards', async () => {
    const { ports, location, store } = setUp();
    const found = await withStore(ports, location, { signal }, async (open, { prefix }) => {
      expect(store.closed).toBe(false);
      return await open.listCommonPrefixes(`${prefix}/`);
    });
    expect([found, store.closed]).toEqual([['backups'], true]);
  });

  it('closes the store even when its use fails', async () => {
    const { ports, location, store } = setUp();
    const failing = withStore(ports, location, { signal }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(store.closed).toBe(true);
  });

  it('opens no store for an invalid location', async () => {
    const { ports, location, opened } = setUp({ cloud: '' });
    const wrong = withStore(ports, location, { signal }, () => Promise.reject(new Error('not reached')));
    await expect(wrong).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    expect(opened).toEqual([]);
  });
});
