import { type SnapshotMetadataService, serviceAccountType, volumeSnapshotType } from '@lateen/api-types';
import { baseNotes, type KeptBase, readBase, spentBases } from '@lateen/changed-blocks/base';
import { parseObjectId } from '@lateen/kopia-format';
import { MemoryRepository } from '@lateen/repository-session/memory-repository';
import { aVolumeSnapshot, FakeClock, type FakeCluster, fakeCluster } from '@lateen/testing';
import { type Dice, diceFor } from '../simulation/dice.ts';
import { Trace } from '../simulation/trace.ts';
import { Storage, type StorageSnapshot } from './storage.ts';

export const driver = 'csi.example';
export const location = 'default';
export const namespace = 'velero';
/** The service account that asks the driver. */
export const agent = 'node-agent';
export const claim = { namespace: 'shop', name: 'data', uid: 'claim-1' };
const startedAt = '2030-01-01T00:00:00Z';

const service: SnapshotMetadataService = {
  apiVersion: 'cbt.storage.k8s.io/v1beta1',
  kind: 'SnapshotMetadataService',
  metadata: { name: driver },
  spec: { address: 'driver:1', audience: driver, caCert: Buffer.from('authority').toString('base64') },
};

/** The state of one seed: a volume, its storage, the repository, the kept base snapshots, and what each snapshot has to restore. */
export class UploadWorld {
  readonly dice: Dice;
  readonly clock = new FakeClock(startedAt);
  readonly trace: Trace;
  readonly repository: MemoryRepository;
  readonly storage: Storage;
  readonly violations: string[] = [];
  readonly ends: string[] = [];
  readonly splitter: string;
  readonly chunkBytes: number;
  readonly source = {
    path: 'snapshot-data-upload-download/kopia/shop/data',
    tags: { 'snapshot-requester': 'snapshot-data-upload-download', 'snapshot-uploader': 'kopia' },
  };
  /** The API server that has the kept snapshots and tells where the driver can be asked. */
  readonly cluster: FakeCluster;
  /** Expected content of the volume, by snapshot ID. */
  readonly expected = new Map<string, Buffer>();
  /** What the uploads of this step have read. A failed upload may have stored its snapshot nevertheless; that has to be complete, too. */
  readonly attempted: Buffer[] = [];
  #kept = 0;

  constructor(seed: number) {
    this.dice = diceFor(seed, 'changed blocks');
    this.trace = new Trace(() => this.clock.monotonicMs());
    this.repository = new MemoryRepository(this.dice.random);
    const kibibytes = this.dice.pick([1, 2]);
    this.splitter = `FIXED-${kibibytes}K`;
    this.chunkBytes = kibibytes * 1024;
    this.storage = new Storage(this.anySize());
    this.cluster = fakeCluster({ clock: this.clock, objects: [service] });
    this.cluster.intercept((call, next) =>
      call.type === serviceAccountType && call.subresource === 'token'
        ? Promise.resolve({ metadata: {}, status: { token: 'token' } })
        : next(),
    );
  }

  /** The snapshots that were kept. */
  get bases(): KeptBase[] {
    return this.cluster.look(volumeSnapshotType, namespace).flatMap((each) => readBase(each) ?? []);
  }

  /** Sizes of volumes; most are no multiple of a chunk or a block. */
  anySize(): number {
    const chunks = this.dice.between(1, 16) * this.chunkBytes;
    return Math.max(1, chunks - (this.dice.chance(0.5) ? this.dice.between(1, 600) : 0));
  }

  note(text: string): void {
    this.trace.note(text);
  }

  violated(text: string): void {
    this.violations.push(text);
    this.note(`VIOLATED: ${text}`);
  }

  /** Keeps the snapshot for the next upload, and removes bases that are no longer of use. */
  keep(snapshot: StorageSnapshot, snapshotID: string): void {
    const nowMs = this.clock.now();
    const name = `upload-${++this.#kept}`;
    const { handle: snapshotHandle, volumeHandle } = snapshot;
    const notes = { claim, driver, volumeHandle, snapshotHandle, snapshotID, backupStorageLocation: location };
    const creationTimestamp = new Date(nowMs).toISOString();
    const metadata = { ...baseNotes(notes), creationTimestamp };
    this.cluster.put(aVolumeSnapshot({ namespace, name, uid: name, readyToUse: true, metadata }));
    const spent = spentBases({ bases: this.bases, claimUid: () => claim.uid, nowMs });
    for (const { base } of spent) this.loseBase(base);
  }

  loseBase(base: KeptBase): void {
    this.cluster.remove(volumeSnapshotType, { namespace, name: base.name });
    this.storage.deleteSnapshot(base.snapshotHandle);
  }

  /** Removes what no snapshot refers to, as full maintenance does when no client writes. */
  collectGarbage(): void {
    const { contents, manifests } = this.repository;
    const reached = new Set<string>();
    const reach = (objectId: string): void => {
      const { contentId, indirection } = parseObjectId(objectId);
      if (reached.has(contentId)) return;
      reached.add(contentId);
      const data = contents.get(contentId);
      const isFolder = contentId.startsWith('k');
      if (data === undefined || (indirection === 0 && !isFolder)) return;
      const { entries } = JSON.parse(Buffer.from(data).toString()) as { entries: { o?: string; obj?: string }[] };
      for (const { o, obj } of entries) reach(o ?? obj ?? '');
    };
    for (const { json } of manifests.values())
      reach((JSON.parse(json) as { rootEntry: { obj: string } }).rootEntry.obj);
    for (const id of [...contents.keys()]) if (!reached.has(id)) contents.delete(id);
  }

  /** Every snapshot exists and restores the content of the volume. */
  async judge(): Promise<void> {
    for (const id of this.repository.manifests.keys()) if (!this.expected.has(id)) await this.#adopt(id);
    this.attempted.length = 0;
    for (const [id, content] of this.expected) {
      const restored = await this.repository.restored(id).catch((error: Error) => error.message);
      if (typeof restored === 'string') this.violated(`snapshot ${id} cannot be restored: ${restored}`);
      else if (!restored.equals(content)) this.violated(`snapshot ${id} ${differenceText(restored, content)}`);
    }
  }

  /** A snapshot that was stored without its upload knowing it. */
  async #adopt(id: string): Promise<void> {
    const restored = await this.repository.restored(id).catch(() => undefined);
    const content = this.attempted.find((each) => restored?.equals(each));
    if (content === undefined) this.violated(`snapshot ${id} is of no upload`);
    else this.expected.set(id, content);
  }
}

function differenceText(restored: Buffer, content: Buffer): string {
  if (restored.length !== content.length) return `has ${restored.length} bytes, the volume had ${content.length}`;
  const at = restored.findIndex((byte, index) => byte !== content[index]);
  return `differs from what the volume held from offset ${at} on`;
}
