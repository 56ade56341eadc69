import { hostError, linkLost, type OpenSnapshot, type StatusLink } from '@lateen/block-engine';
import { FakeClock, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { openLeased } from './leased-snapshot.ts';

const wanted = { replica: 'r', snapshot: 's', layerAlone: false };
const leaseMs = 60_000;

interface Faults {
  open?: () => Promise<void>;
  connect?: Error;
  close?: () => Promise<void>;
}

/** A host that records its requests, and a link that can be lost. */
function world(faults: Faults = {}) {
  const asked: string[] = [];
  const log = recordingLog();
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const lost = Promise.withResolvers<Error>();
  const link = {
    sizeBytes: 4n,
    closed: lost.promise,
    [Symbol.asyncDispose]: async () => void asked.push('link ends'),
  } as unknown as StatusLink;
  const note = (call: string, { reader, ...rest }: OpenSnapshot) => {
    expect(rest).toEqual(wanted);
    asked.push(`${call} ${reader}`);
  };
  const ports = {
    ...{ clock, log, random: seededRandom(1), exportKey: async () => new Uint8Array(4) },
    host: {
      openSnapshot: async (request: OpenSnapshot) => {
        note('open', request);
        await faults.open?.();
        return { export: 'e', port: 1, sizeBytes: 4n, leaseMs, chain: ['s'] };
      },
      closeSnapshot: async (request: OpenSnapshot) => {
        note('close', request);
        await faults.close?.();
      },
    },
    connect: async () => {
      if (faults.connect !== undefined) throw faults.connect;
      return link;
    },
  };
  const stop = new AbortController();
  return { asked, log, clock, lost, stop, open: () => openLeased(ports, wanted, stop) };
}

const readerIn = (call: string | undefined) => call?.split(' ')[1];

it('renews its lease as one reader, and is closed once when its link is disposed of', async () => {
  const { asked, clock, open } = world();
  const { link } = await open();
  await clock.advance(leaseMs / 3);
  await letWorkRun();
  await link[Symbol.asyncDispose]();
  await link[Symbol.asyncDispose]();
  const reader = readerIn(asked[0]);
  expect(asked).toEqual([`open ${reader}`, `open ${reader}`, 'link ends', `close ${reader}`, 'link ends']);
  await clock.advance(leaseMs);
  expect(asked).toHaveLength(5);
});

it('has a different name each time', async () => {
  const { asked, open } = world();
  await open();
  await open();
  expect(readerIn(asked[0])).not.toBe(readerIn(asked[1]));
});

it('is closed when its link is lost, even if it is not disposed of', async () => {
  const { asked, lost, open } = world();
  await open();
  lost.resolve(linkLost('the daemon has ended'));
  await letWorkRun();
  expect(asked.at(-1)).toBe(`close ${readerIn(asked[0])}`);
});

it('is closed after an abort, too, and not renewed in between', async () => {
  const { asked, clock, stop, open } = world();
  const { link } = await open();
  stop.abort(new Error('enough'));
  await clock.advance(leaseMs);
  expect(asked).toHaveLength(1);
  await link[Symbol.asyncDispose]();
  expect(asked.slice(1)).toEqual(['link ends', `close ${readerIn(asked[0])}`]);
});

it('is closed when it was opened but cannot be connected', async () => {
  const { asked, open } = world({ connect: linkLost('cut off') });
  await expect(open()).rejects.toMatchObject({ code: 'LINK_LOST' });
  expect(asked).toEqual([`open ${readerIn(asked[0])}`, `close ${readerIn(asked[0])}`]);
});

it.each([
  { what: 'it is unknown whether it is open', code: 'HOST_UNREACHABLE', closes: 1 },
  { what: 'the host has rejected it', code: 'NO_ROOM', closes: 0 },
] as const)('is closed $closes times when $what', async ({ code, closes }) => {
  const { asked, open } = world({ open: () => Promise.reject(hostError(code, 'no')) });
  await expect(open()).rejects.toMatchObject({ code });
  expect(asked.filter((call) => call.startsWith('close'))).toHaveLength(closes);
});

it('is closed when the abort comes before the response', async () => {
  const { asked, stop, open } = world({
    open: async () => {
      stop.abort(new Error('enough'));
      throw stop.signal.reason;
    },
  });
  await expect(open()).rejects.toThrow('enough');
  expect(asked.at(-1)).toMatch(/^close /);
});

it.each([
  { code: 'API_VERSION', level: 'debug' },
  { code: 'HOST_UNREACHABLE', level: 'info' },
] as const)('ends without an error when the close is answered with $code, and logs it at $level', async (row) => {
  const { log, open } = world({ close: () => Promise.reject(hostError(row.code, 'no')) });
  const { link } = await open();
  await link[Symbol.asyncDispose]();
  expect(log.lines.map(({ level }) => level)).toEqual([row.level]);
});

it('waits a limited time for a host that hangs', async () => {
  const { log, clock, open } = world({ close: () => new Promise(() => {}) });
  const { link } = await open();
  const end = link[Symbol.asyncDispose]();
  await letWorkRun();
  await clock.advance(5_001);
  await end;
  expect(log.lines).toHaveLength(1);
});
