import { FakeClock, seededRandom, stillHeld } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { makeLogger } from './make-logger.ts';
import { type RepeatPodLogOptions, repeatPodLog } from './repeat-pod-log.ts';

const marks = { dataUpload: 'velero/du-1', pod: 'du-1', container: 'data-mover' };
const begin = '***************************begin pod logs[du-1/data-mover]***************************';
const end = '***************************end pod logs[du-1/data-mover]***************************';

async function* chunksOf(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (typeof part !== 'string') throw part;
    yield Buffer.from(part);
  }
}

async function repeat(chunks: AsyncIterable<Uint8Array>, options: Partial<RepeatPodLogOptions> = {}) {
  const written: string[] = [];
  const sink = { write: (lines: string) => void written.push(lines) };
  const work = repeatPodLog({ chunks, sink, fields: marks, format: 'text', clock: new FakeClock(), ...options });
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const text = written.join('');
  expect(text.endsWith('\n')).toBe(true);
  return { lines: text.trimEnd().split('\n'), writes: written.length, error };
}

describe('repeatPodLog', () => {
  it('writes a log between the marks, in one piece', async () => {
    const { lines, writes } = await repeat(
      chunksOf('{"level":"warn","time":"2029-12-31T23:59:59Z","msg":"slow di', 'sk","n":1}\nplain\n'),
    );
    expect(lines).toEqual([
      begin,
      'time="2029-12-31T23:59:59Z" level=warning msg="slow disk" container=data-mover dataUpload=velero/du-1 n=1 pod=du-1',
      'time="2030-01-01T00:00:00.000Z" level=info msg=plain container=data-mover dataUpload=velero/du-1 pod=du-1',
      end,
    ]);
    expect(writes).toBe(1);
  });

  it('merges JSON lines in JSON form, keeps their level and overwrites their marks', async () => {
    const { lines } = await repeat(
      chunksOf('{"level":50,"time":"t","msg":"m","pod":"liar","err":{"message":"e"}}\n[1]\n{torn\n'),
      {
        format: 'json',
      },
    );
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'error', time: 't', msg: 'm', err: { message: 'e' }, ...marks },
      { level: 'info', time: '2030-01-01T00:00:00.000Z', msg: '[1]', ...marks },
      { level: 'info', time: '2030-01-01T00:00:00.000Z', msg: '{torn', ...marks },
    ]);
  });

  it('only adds the marks to a line in text form', async () => {
    const line = 'time="2029-12-31T23:59:59Z" level=error msg="it failed" n=1';
    const { lines } = await repeat(chunksOf(`${line}\n`));
    expect(lines[1]).toBe(`${line} container=data-mover dataUpload=velero/du-1 pod=du-1`);
  });

  it('forwards a live log chunk by chunk, after a header line', async () => {
    const { lines, writes } = await repeat(chunksOf('one\ntw', 'o\n', 'three'), {
      live: true,
      remark: 'a word before',
    });
    expect(lines.map((line) => /msg=("[^"]*"|\S+)/.exec(line)?.[1] ?? line)).toEqual([
      begin,
      '"a word before"',
      'one',
      'two',
      'three',
      end,
    ]);
    expect(writes).toBe(4);
  });

  it('truncates a line over the limit, says by how much, and continues', async () => {
    const { lines } = await repeat(chunksOf('x'.repeat(150), 'x'.repeat(50), '\nnext'), {
      limits: { lineBytesMax: 100 },
    });
    expect(lines[1]).toContain(`msg="${'x'.repeat(100)}…[100 bytes cut]"`);
    expect(lines[2]).toContain('msg=next');
  });

  it('stops at the limit of the whole log and says so', async () => {
    const endless = async function* () {
      for (;;) yield Buffer.from('0123456789\n');
    };
    const { lines } = await repeat(endless(), { limits: { logBytesMax: 100 } });
    expect(lines).toHaveLength(13);
    expect(lines[11]).toContain('the rest of this pod log is not repeated');
  });

  it('closes the block when the log breaks off, and rethrows the error', async () => {
    const { lines, error } = await repeat(chunksOf('one\ntw', new Error('reset')));
    expect(lines.map((line) => /msg=("[^"]*"|\S+)/.exec(line)?.[1] ?? line)).toEqual([
      begin,
      'one',
      '"this pod log ended early: reset"',
      end,
    ]);
    expect(error).toMatchObject({ message: 'reset' });
  });

  it('ends at once on abort, even while the source hangs', async () => {
    const stop = new AbortController();
    const hangs = async function* () {
      yield Buffer.from('one\n');
      stop.abort(new Error('enough'));
      await new Promise(() => {});
    };
    const { lines, error } = await repeat(hangs(), { signal: stop.signal });
    expect(lines.at(-1)).toBe(end);
    expect(error).toMatchObject({ message: 'enough' });
  });

  it('escapes characters that could split a line', async () => {
    const { lines } = await repeat(chunksOf('{"msg":"a\\nb\\r\\u2028c","k\\ney":"v\\nw"}\n'));
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('msg="a\\nb\\r\\u2028c"');
    expect(lines[1]).toContain('k_ey="v\\nw"');
  });

  it.each([
    [1, false],
    [2, true],
    [3, true],
  ])('keeps every line of 32 logs whole while other lines are logged (seed %i, live %s)', async (seed, live) => {
    const random = seededRandom(seed);
    const written: string[] = [];
    const sink = { write: (lines: string) => void written.push(lines) };
    const own = makeLogger({ level: 'info', format: 'json', destination: sink });
    const linesOf = (writer: number) =>
      Array.from({ length: 200 }, (_, n) => `{"msg":"ä€😀 ${writer}:${n} ${'.'.repeat((n * 7) % 90)}"}`);
    const randomChunks = async function* (writer: number) {
      const bytes = Buffer.from(`${linesOf(writer).join('\n')}\n`);
      for (let at = 0; at < bytes.length; ) {
        const next = at + 1 + Math.floor(random.next() * 300);
        yield bytes.subarray(at, next);
        at = next;
        if (random.next() < 0.3) await new Promise(setImmediate);
        if (random.next() < 0.05) own.info({ writer }, 'own');
      }
    };
    await Promise.all(
      Array.from({ length: 32 }, (_, writer) =>
        repeatPodLog({
          chunks: randomChunks(writer),
          sink,
          fields: { dataUpload: `du-${writer}`, pod: `p-${writer}`, container: 'c' },
          format: 'json',
          live,
          limits: { blockBytesMax: 4_000 },
        }),
      ),
    );
    const lines = written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; dataUpload?: string });
    for (let writer = 0; writer < 32; writer++) {
      const of = lines.filter((line) => line.dataUpload === `du-${writer}`).map((line) => line.msg);
      expect(of).toEqual(linesOf(writer).map((line) => (JSON.parse(line) as { msg: string }).msg));
    }
    expect(lines.filter((line) => line.msg === 'own').length).toBe(lines.length - 32 * 200);
  });

  it('buffers no forwarded chunks, however long the log is', async () => {
    const made: WeakRef<object>[] = [];
    const checked = Promise.withResolvers<number>();
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 200; n++) {
        const chunk = Buffer.from(`line ${n}\n`);
        made.push(new WeakRef(chunk));
        yield chunk;
      }
      checked.resolve(await stillHeld(made));
    }
    await repeat(chunks(), { live: true, signal: new AbortController().signal });
    expect(await checked.promise).toBeLessThan(10);
  });
});
