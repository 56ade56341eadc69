import { serverStatusRequestType } from '@lateen/api-types';
import { whoIsBehind } from '@lateen/operations/server';
import { FakeClock, fakeCluster, letWorkRun, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../command-context.ts';
import { buildProgram } from '../program.ts';

interface Answer {
  version?: string;
  plugins?: { name: string; kind: string }[];
}

/** A terminal, and a server that answers `afterMs` after a request, or never. */
function setUp(answer?: Answer, afterMs = 600) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock });
  const written: string[] = [];
  const stop = new AbortController();
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'ServerStatusRequest' || answer === undefined) return;
    const { name = '', namespace } = object.metadata;
    void clock.sleep(afterMs).then(() =>
      cluster.change(serverStatusRequestType, { namespace, name }, (request) => {
        request.status = {
          phase: 'Processed',
          serverVersion: answer.version ?? 'v1.18.3',
          plugins: answer.plugins ?? [],
        };
      }),
    );
  });
  const context: CommandContext = {
    clock,
    random: seededRandom(),
    stdout: { write: (text: string) => written.push(text) },
    stderr: { write: () => {} },
    signal: stop.signal,
    connect: () => Promise.resolve(cluster),
  };
  const run = async (...words: string[]) => {
    let ended = false;
    const running = buildProgram(context, {})
      .parseAsync(words, { from: 'user' })
      .finally(() => {
        ended = true;
      });
    running.catch(() => {});
    while (!ended) {
      await letWorkRun();
      if (!ended && clock.nextDueInMs !== undefined) await clock.advance(clock.nextDueInMs);
    }
    await running;
    return written.join('');
  };
  return { clock, cluster, run, stop, written, context };
}

const clientLines = 'Client:\n\tVersion: v1.18.0+lateen.0.1.0\n\tGit commit: -\n';

describe('lateen version', () => {
  it('asks the server as Velero does and prints its lines', async () => {
    const { run, cluster } = setUp({ version: 'v1.18.3' });
    expect(await run('version')).toBe(`${clientLines}Server:\n\tVersion: v1.18.3\n`);
    expect(cluster.all(serverStatusRequestType)).toMatchObject([
      { metadata: { namespace: 'velero', name: expect.stringMatching(/^velero-cli-.{5}$/) }, spec: {} },
    ]);
    // Polls every 250 ms, until the answer arrives after 600 ms.
    expect(cluster.calls.map(({ verb }) => verb)).toEqual(['create', 'get', 'get', 'get']);
  });

  it.each([
    ['v1.17.2', 'server'],
    ['v2.0.0', 'client'],
    ['main', 'server'],
  ])('warns about a server of version %s: update the %s', async (version, behind) => {
    expect(await setUp({ version }).run('version')).toContain(
      `# WARNING: the client version does not match the server version. Please update ${behind}\n`,
    );
  });

  it('prints the same as JSON and YAML, also when the server does not answer', async () => {
    const client = { version: 'v1.18.0+lateen.0.1.0' };
    const said = (answer: Answer | undefined, ...words: string[]) => setUp(answer).run('version', ...words);
    const known = { version: 'v1.18.3' };
    expect(JSON.parse(await said(known, '-o', 'json'))).toEqual({ client, server: known });
    expect(await said(known, '-o', 'yaml')).toBe(
      `client:\n  version: ${client.version}\nserver:\n  version: v1.18.3\n`,
    );
    expect(JSON.parse(await said(known, '--client-only', '-o', 'json'))).toEqual({ client });
    const error = 'context deadline exceeded';
    expect(JSON.parse(await said(undefined, '-o', 'json'))).toEqual({ client, server: { error } });
    await expect(said(known, '-o', 'wide')).rejects.toMatchObject({ code: 'BAD_FLAG' });
  });

  it('reports after --timeout that the server does not answer, in Velero’s words, and succeeds', async () => {
    const { run, clock } = setUp();
    expect(await run('version', '--timeout', '2s')).toBe(
      `${clientLines}<error getting server version: context deadline exceeded>\n`,
    );
    expect(clock.monotonicMs()).toBe(2_000);
  });

  it('succeeds without permissions too, and names what is missing', async () => {
    const { run, cluster } = setUp();
    cluster.failOnce('create', serverStatusRequestType, 'KUBE_FORBIDDEN');
    expect(await run('version')).toMatch(/<error getting server version: .+>\n$/);
  });

  it('prints its commit, if it is known', async () => {
    const known = setUp();
    known.context.commit = () => Promise.resolve(`${'c'.repeat(40)}-dirty`);
    expect(await known.run('version', '--client-only')).toContain(`\tGit commit: ${'c'.repeat(40)}-dirty\n`);
    const unknown = setUp();
    unknown.context.commit = () => Promise.resolve(undefined);
    expect(await unknown.run('version', '--client-only')).toBe(clientLines);
  });

  it('asks no server with --client-only', async () => {
    const { run, cluster } = setUp();
    expect(await run('version', '--client-only')).toBe(clientLines);
    expect(cluster.calls).toEqual([]);
  });

  it('rejects an invalid timeout, and is interrupted by Ctrl-C', async () => {
    const { run, stop } = setUp();
    await expect(run('version', '--timeout', 'soon')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    stop.abort(new Error('Ctrl-C'));
    await expect(run('version')).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

describe('lateen plugin get', () => {
  const plugins = [
    { name: 'velero.io/pod', kind: 'BackupItemAction' },
    { name: 'velero.io/aws', kind: 'ObjectStore' },
    { name: 'velero.io/azure', kind: 'ObjectStore' },
    { name: 'velero.io/\u001b[31mapi', kind: 'BackupItemAction' },
  ];
  it('lists by kind, then by name, and prints no escape sequence', async () => {
    const lines = (await setUp({ plugins }).run('plugin', 'get')).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'KIND'],
      ['velero.io/[31mapi', 'BackupItemAction'],
      ['velero.io/pod', 'BackupItemAction'],
      ['velero.io/aws', 'ObjectStore'],
      ['velero.io/azure', 'ObjectStore'],
    ]);
  });
  it('prints the answer with -o json', async () => {
    expect(JSON.parse(await setUp({ plugins }).run('plugin', 'get', '-o', 'json'))).toMatchObject({
      kind: 'ServerStatusRequest',
      status: { plugins },
    });
  });
  it('reports in Velero’s words that no server answers', async () => {
    expect(await setUp().run('plugin', 'get')).toBe('<error getting plugin information: context deadline exceeded>\n');
  });
});

describe('versions', () => {
  it.each([
    ['v1.18.0+lateen.0.1.0', 'v1.18.9', undefined],
    ['v1.18.0', '1.18', undefined],
    ['v1.18.0', 'v1.18-dev', undefined],
    ['v1.9.0', 'v1.18.0', 'client'],
    ['v1.18.0', 'v1.9.0', 'server'],
    ['v1.18.0', '', 'server'],
    ['v1.18.0', 'v1.180', 'client'],
  ])('%s beside %s: %s', (client, server, behind) => expect(whoIsBehind(client, server)).toBe(behind));
});
