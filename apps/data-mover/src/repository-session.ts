import {
  type OpenServerSession,
  openServerSession,
  type RestateRequest,
  restateTags,
} from '@lateen/repository-session';
import { lostSession, type SpliceOptions, type VolumeSplice, volumeSplice } from './splice-program.ts';

/* A bundle of its own, next to the mover's: only uploads that need a session load gRPC and the messages of kopia's server
 * and of the sidecar that tells changed blocks. */

type SessionOptions = Omit<OpenServerSession, 'purpose'>;

/** See `volumeSplice`. */
export function spliceOf(options: Omit<SpliceOptions, 'openSession'> & SessionOptions): VolumeSplice {
  const purpose = `splicing ${options.volume.snapshot.name}`;
  return volumeSplice({ ...options, openSession: (signal) => openServerSession({ ...options, purpose }, signal) });
}

/** See `restateTags`; each lost session is logged. */
export function restateSnapshotTags(options: SessionOptions, request: RestateRequest): Promise<string> {
  const { clock, random, log } = options;
  return restateTags(
    {
      clock,
      random,
      open: (signal) => openServerSession({ ...options, purpose: 'restating tags' }, signal),
      onLost: lostSession(log),
    },
    request,
  );
}
