import type { KopiaSession } from '../engine/kopia-session.ts';
import type { ResticSession } from '../restic/restic-session.ts';

/** An engine that is set up for one repository; the operations branch on `engine`. */
export type RepositorySession = ({ engine: 'kopia' } & KopiaSession) | ({ engine: 'restic' } & ResticSession);

export const kopiaRepository = (session: KopiaSession): RepositorySession => ({ ...session, engine: 'kopia' });
export const resticRepository = (session: ResticSession): RepositorySession => ({ ...session, engine: 'restic' });
