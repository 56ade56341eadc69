import {
  type OpenServerSession,
  openServerSession,
  type RestateRequest,
  restateTags,
} from '@lateen/repository-session';

export { volumeSplice } from './splice-program.ts';

/* A bundle of its own, next to the mover's: only uploads that need a session load gRPC and the messages of kopia's server
 * and of the sidecar that tells changed blocks. */

/** See `restateTags`; each lost session is logged. */
export function restateSnapshotTags(
  options: Omit<OpenServerSession, 'purpose'>,
  request: RestateRequest,
): Promise<string> {
  const { clock, random, log } = options;
  return restateTags(
    {
      clock,
      random,
      open: (signal) => openServerSession({ ...options, purpose: 'restating tags' }, signal),
      onLost: (error) =>
        log.warn({ err: error }, 'the session with the repository server was lost; another one is begun'),
    },
    request,
  );
}
