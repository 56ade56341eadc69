import type { ServerSession } from './client/server-session.ts';

type Open = (signal: AbortSignal) => Promise<ServerSession>;

/** One session at a time, which is begun before it is needed and kept from one use to the next. */
export interface HeldSession {
  /** Begins a session if there is none: while its server starts and opens the repository, other work can be done. Never throws. */
  begin(signal: AbortSignal): void;
  /** The session that was begun or kept, or a new one if that has ended. The caller closes it. @throws as `open` */
  take(signal: AbortSignal): Promise<ServerSession>;
  /** Keeps a session that was taken for the next use. */
  keep(session: ServerSession): void;
  /** Ends what was begun or kept and not taken. Safe to repeat. */
  close(): Promise<void>;
}

export function heldSession(open: Open): HeldSession {
  let held: Promise<ServerSession> | undefined;
  const left = (): Promise<ServerSession> | undefined => {
    const session = held;
    held = undefined;
    return session;
  };
  return {
    begin: (signal) => {
      held ??= open(signal);
      // Whoever takes it gets the error.
      held.catch(() => {});
    },
    take: async (signal) => {
      const session = await left();
      if (session !== undefined && !session.over.aborted) return session;
      await session?.close();
      return await open(signal);
    },
    keep: (session) => {
      held = Promise.resolve(session);
    },
    close: async () => {
      const session = await left()?.catch(() => undefined);
      await session?.close();
    },
  };
}
