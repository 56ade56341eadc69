import { AppError, isAppError } from '@lateen/errors';
import { systemClock as clock } from '@lateen/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeMonitor, type MonitorCommand, type Talk } from '../testing/fake-monitor.ts';
import { connectQmp } from './connect-qmp.ts';
import { readMessage } from './qmp-message.ts';

const code = (name: string) => expect.toSatisfy((error) => isAppError(error, name));
const echo = (command: MonitorCommand, talk: Talk) => talk.give(command.arguments);

describe('a connection to a monitor', () => {
  it('knows the version, and matches each response to its command', async () => {
    const held: (() => void)[] = [];
    await using monitor = await fakeMonitor((command, talk) => {
      held.unshift(() => echo(command, talk));
      // Only when all have arrived, the last one first.
      if (held.length === 3) for (const release of held) release();
    });
    await using qmp = await connectQmp({ path: monitor.path, clock });
    expect(qmp.version).toMatchObject({ major: 7, minor: 2, micro: 22 });
    const answers = await Promise.all([1, 2, 3].map((n) => qmp.execute('echo', { n })));
    expect(answers).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('reports why a command was rejected, without the secrets in its arguments', async () => {
    await using monitor = await fakeMonitor((_, talk) => talk.refuse("there is an export 'r.1.5eC4et' already"));
    await using qmp = await connectQmp({ path: monitor.path, clock });
    const refused = qmp.execute('block-export-add', { name: 'r.1.5eC4et' }, { secrets: ['r.1.5eC4et'] });
    await expect(refused).rejects.toMatchObject({
      code: 'QMP_COMMAND_FAILED',
      message: "the storage daemon refused block-export-add: there is an export '[redacted]' already",
      details: { class: 'GenericError' },
    });
  });

  it('passes events to its listeners until they unsubscribe', async () => {
    await using monitor = await fakeMonitor((command, talk) => {
      talk.tell('BLOCK_JOB_READY', { n: command.arguments.n });
      talk.give({});
    });
    await using qmp = await connectQmp({ path: monitor.path, clock });
    const seen: unknown[] = [];
    const leave = qmp.onEvent(({ event, data }) => seen.push([event, data.n]));
    await qmp.execute('x', { n: 1 });
    leave();
    await qmp.execute('x', { n: 2 });
    expect(seen).toEqual([['BLOCK_JOB_READY', 1]]);
  });

  it('rejects each command with the last output of the process', async () => {
    await using monitor = await fakeMonitor((command, talk) => {
      if (command.execute === 'second') talk.end();
    });
    const last = new AppError('STORAGE_DAEMON_ENDED', 'Segmentation fault');
    await using qmp = await connectQmp({ path: monitor.path, clock, lastWords: async () => last });
    const both = await Promise.allSettled([qmp.execute('first'), qmp.execute('second')]);
    expect(both.map((it) => it.status === 'rejected' && it.reason)).toEqual([last, last]);
    expect(await qmp.closed).toBe(last);
    await expect(qmp.execute('third')).rejects.toBe(last);
  });

  it('does not wait for last output that never comes', async () => {
    await using monitor = await fakeMonitor((_, talk) => talk.end());
    const options = { limits: { lastWordsMs: 20 }, lastWords: () => new Promise<never>(() => {}) };
    await using qmp = await connectQmp({ path: monitor.path, clock, ...options });
    await expect(qmp.execute('x')).rejects.toEqual(code('STORAGE_DAEMON_ENDED'));
  });

  it('can abort the wait for a command, and still matches its late response', async () => {
    let late: (() => void) | undefined;
    await using monitor = await fakeMonitor((command, talk) => {
      if (command.execute !== 'slow') return echo(command, talk);
      late = () => talk.give({});
    });
    await using qmp = await connectQmp({ path: monitor.path, clock });
    const stop = new AbortController();
    const slow = qmp.execute('slow', {}, { signal: stop.signal });
    await qmp.execute('x');
    stop.abort(new Error('enough'));
    await expect(slow).rejects.toThrow('enough');
    late?.();
    expect(await qmp.execute('x', { n: 1 })).toEqual({ n: 1 });
  });

  it('reports that the daemon does not answer when a response is late', async () => {
    await using monitor = await fakeMonitor(() => {});
    await using qmp = await connectQmp({ path: monitor.path, clock, limits: { commandMs: 20 } });
    await expect(qmp.execute('x')).rejects.toEqual(code('QMP_SILENT'));
  });

  it('reports that a monitor without greeting has another client', async () => {
    await using monitor = await fakeMonitor(echo, '');
    const connected = connectQmp({ path: monitor.path, clock, limits: { greetingMs: 20 } });
    await expect(connected).rejects.toEqual(code('QMP_SILENT'));
  });

  it('reports that nothing listens', async () => {
    const connected = connectQmp({ path: '/nonexistent/monitor', clock });
    await expect(connected).rejects.toMatchObject({ code: 'QMP_NOT_REACHABLE', retry: 'soon' });
  });

  it('rejects more pending commands than its limit', async () => {
    await using monitor = await fakeMonitor(() => {});
    await using qmp = await connectQmp({ path: monitor.path, clock, limits: { pendingMax: 2 } });
    for (const name of ['a', 'b']) qmp.execute(name).catch(() => {});
    await expect(qmp.execute('c')).rejects.toEqual(code('QMP_BUSY'));
  });

  it.each([
    ['is not JSON', 'hello\n'],
    ['has an unknown ID', '{"return": {}, "id": 77}\n'],
    ['could not be parsed', '{"error": {"class": "GenericError", "desc": "JSON parse error"}}\n'],
    ['never ends', 'x'.repeat(3_000)],
  ])('ends when a message %s', async (_, text) => {
    await using monitor = await fakeMonitor((_command, talk) => talk.write(text));
    await using qmp = await connectQmp({ path: monitor.path, clock, limits: { messageBytesMax: 2_000 } });
    await expect(qmp.execute('x')).rejects.toEqual(code('QMP_PROTOCOL'));
  });
});

it('reads each line as a message or reports an error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      try {
        readMessage(line);
      } catch (error) {
        expect(error).toEqual(code('QMP_PROTOCOL'));
      }
    }),
  );
});
