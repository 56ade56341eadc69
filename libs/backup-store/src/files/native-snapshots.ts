import { always, struct, unlessEmpty } from '../json/go-struct.ts';
import { integer, listOf, pointerTo, text } from '../json/go-type.ts';
import { jsonFile } from '../json/json-file.ts';

/** A snapshot that a VolumeSnapshotter took; an entry of `<backup>-volumesnapshots.json.gz` (section 5.1). */
export interface NativeSnapshot {
  spec: {
    backupName: string;
    backupUID: string;
    location: string;
    persistentVolumeName: string;
    providerVolumeID: string;
    volumeType: string;
    volumeAZ?: string;
    volumeIOPS?: number;
  };
  status: { providerSnapshotID?: string; phase: 'New' | 'Completed' | 'Failed' };
}

const snapshot = struct({
  spec: always(
    struct({
      backupName: always(text),
      backupUID: always(text),
      location: always(text),
      persistentVolumeName: always(text),
      providerVolumeID: always(text),
      volumeType: always(text),
      volumeAZ: unlessEmpty(text),
      volumeIOPS: unlessEmpty(pointerTo(integer)),
    }),
  ),
  status: always(struct({ providerSnapshotID: unlessEmpty(text), phase: unlessEmpty(text) })),
});

export const nativeSnapshotsFile = jsonFile<NativeSnapshot[]>('the volume snapshots', listOf(snapshot), () => []);
