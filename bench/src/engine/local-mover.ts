import { type ChildRunner, childRunner } from '@lateen/child-process';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { dataUploadSource, type KopiaSession } from '@lateen/repository';
import { kopiaUploader, systemBlock } from '@lateen/uploader';

export type Mode = 'Block' | 'Filesystem';

export interface LocalMover {
  /** Resolves with the snapshot's ID. The claim names the source. */
  upload(mode: Mode, volumePath: string, claim: string, config?: Record<string, string>): Promise<string>;
  download(mode: Mode, volumePath: string, snapshotID: string): Promise<void>;
}

const graceMs = 5_000;

/** Moves volumes as the mover does, without API server and pod. `runnerOf` runs programs. */
export function localMover(
  session: KopiaSession,
  scratchDirectory: string,
  signal: AbortSignal,
  runnerOf = (program: string): ChildRunner => childRunner({ program, clock: systemClock, graceMs }),
): LocalMover {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TMPDIR: scratchDirectory };
  const uploader = kopiaUploader({
    session,
    clock: systemClock,
    random: systemRandom,
    programs: { run: (program, request) => runnerOf(program).run({ ...request, env }) },
    block: { ...systemBlock({ clock: systemClock, graceMs, scratchDirectory }), tools: runnerOf },
    log: silentLogger,
    parallelFiles: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
  const common = { onProgress: () => {}, signal };
  return {
    upload: async (volumeMode, volumePath, claim, config = {}) => {
      const source = dataUploadSource('bench', claim, undefined);
      return (await uploader.upload({ ...common, volumeMode, volumePath, source, config })).snapshotID;
    },
    download: async (volumeMode, volumePath, snapshotID) => {
      await uploader.download({ ...common, volumeMode, volumePath, snapshotID, config: {} });
    },
  };
}
