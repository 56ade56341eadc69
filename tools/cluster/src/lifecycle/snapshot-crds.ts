import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { readIfThere, writeFileAtomically } from '../host/write-file.ts';
import { cacheDir } from '../parts/cache-dir.ts';
import { go } from '../parts/go-toolchain.ts';
import { partKey } from '../parts/part-key.ts';
import { parts } from '../parts/part-table.ts';
import { partsDir } from '../parts/parts-dir.ts';

/** The snapshotter's own module pins the one its CRDs come from, so nothing of them is committed here. */
const crdModule = 'github.com/kubernetes-csi/external-snapshotter/client/v8';
const kinds = ['volumesnapshotclasses', 'volumesnapshotcontents', 'volumesnapshots'] as const;

export interface SnapshotCrd {
  name: string;
  /** YAML. */
  text: string;
}

/** The snapshot CRDs that belong to the pinned snapshot controller: from the cache, else from its Go module. */
export async function snapshotCrds(signal?: AbortSignal): Promise<SnapshotCrd[]> {
  const controller = parts.find((part) => part.name === 'snapshot-controller');
  if (controller === undefined) throw new AppError('PART_UNKNOWN', 'there is no part named "snapshot-controller"');
  const kept = join(cacheDir(), 'crds', await partKey(controller, partsDir));
  const crds: SnapshotCrd[] = [];
  for (const plural of kinds) {
    const file = join(kept, `${plural}.yaml`);
    let text = await readIfThere(file);
    if (text === undefined) {
      text = await readFile(join(await moduleDir(signal), `snapshot.storage.k8s.io_${plural}.yaml`), 'utf8');
      await writeFileAtomically(file, text);
    }
    crds.push({ name: `${plural}.snapshot.storage.k8s.io`, text });
  }
  return crds;
}

async function moduleDir(signal: AbortSignal | undefined): Promise<string> {
  const folder = join(partsDir, 'external-snapshotter');
  const answer = JSON.parse(await go(['mod', 'download', '-json', crdModule], folder, { signal })) as { Dir?: string };
  if (answer.Dir === undefined) throw new AppError('CRDS_MISSING', `go gave no folder for ${crdModule}`);
  return join(answer.Dir, 'config', 'crd');
}
