import { AppError } from '@lateen/errors';
import { expect, it, vi } from 'vitest';
import type { ServerSession } from './client/server-session.ts';
import { heldSession } from './held-session.ts';

const { signal } = new AbortController();

function sessions() {
  const made: { session: ServerSession; over: AbortController; close: ReturnType<typeof vi.fn> }[] = [];
  const open = vi.fn(async () => {
    const over = new AbortController();
    const close = vi.fn(async () => {});
    const session = { over: over.signal, close } as unknown as ServerSession;
    made.push({ session, over, close });
    return session;
  });
  return { made, open };
}

it('a session that was begun is the one that is taken, and another one is opened only after it', async () => {
  const { made, open } = sessions();
  const held = heldSession(open);
  held.begin(signal);
  held.begin(signal);
  expect(await held.take(signal)).toBe(made[0]?.session);
  expect(open).toHaveBeenCalledTimes(1);
  expect(await held.take(signal)).toBe(made[1]?.session);
});

it('a session that is kept is taken again unless it was lost meanwhile', async () => {
  const { made, open } = sessions();
  const held = heldSession(open);
  held.keep(await held.take(signal));
  held.begin(signal);
  const taken = await held.take(signal);
  expect(taken).toBe(made[0]?.session);
  held.keep(taken);
  made[0]?.over.abort();
  expect(await held.take(signal)).toBe(made[1]?.session);
  expect(made[0]?.close).toHaveBeenCalledTimes(1);
});

it('an error of the beginning is thrown to the one who takes the session, and the next one begins anew', async () => {
  const { made, open } = sessions();
  open.mockRejectedValueOnce(new AppError('REPOSITORY_SESSION_LOST', 'lost'));
  const held = heldSession(open);
  held.begin(signal);
  await expect(held.take(signal)).rejects.toMatchObject({ code: 'REPOSITORY_SESSION_LOST' });
  expect(await held.take(signal)).toBe(made[0]?.session);
});

it('what was begun and not taken is ended, and what was taken is not', async () => {
  const { made, open } = sessions();
  const held = heldSession(open);
  await held.take(signal);
  held.begin(signal);
  await held.close();
  await held.close();
  expect(made.map(({ close }) => close.mock.calls.length)).toEqual([0, 1]);
  open.mockRejectedValueOnce(new Error('no'));
  held.begin(signal);
  await held.close();
});
