import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pluginWorld, strangeProgram } from '@lateen/test-plugins';
import { describe, expect, it } from 'vitest';

const script = (folder: string, name: string, ...lines: string[]) =>
  writeFile(join(folder, name), `${['#!/bin/sh', ...lines].join('\n')}\n`, { mode: 0o755 });

const unusable = (name: string, why: string) => [`plugin program /${name} cannot be used: ${why}`];

describe('a folder of plugin programs', () => {
  it('is used as far as possible, with an error for each unusable program', async () => {
    await using world = await pluginWorld(async (plugins) => {
      const listOf = (...names: { kind: string; name: string }[]) => [`--list=${JSON.stringify(names)}`];
      const good = listOf(
        { kind: 'ObjectStore', name: 'example.io/store' },
        { kind: 'BackupItemActionV2', name: 'example.io/a' },
      );
      await strangeProgram(plugins, 'a-good', good);
      await strangeProgram(plugins, 'b-same-names', good);
      const named = [
        { kind: 'BackupItemActionV2', name: 'no-slash' },
        { kind: 'Teleporter', name: 'example.io/teleporter' },
        { kind: 'BackupItemActionV2', name: 'example.io/fine' },
      ];
      await strangeProgram(plugins, 'c-names', listOf(...named));
      await script(plugins, 'e-old', 'echo "1|1|unix|/tmp/socket|grpc"', 'exec sleep 600');
      await script(plugins, 'f-words', 'echo "Usage: backup [options]"', 'exec sleep 600');
      await script(plugins, 'g-panics', 'echo "panic: no cloud" >&2', 'exit 2');
      await script(plugins, 'h-no-socket', 'echo "1|2|unix|/no/such/socket|grpc|"', 'exec sleep 600');
      await writeFile(join(plugins, 'i-text'), 'hello', { mode: 0o755 });
      await script(plugins, 'j-not-executable', 'exit 0');
      await chmod(join(plugins, 'j-not-executable'), 0o644);
    });
    const { host, log, folder } = world;
    expect(host.list()).toHaveLength(3);
    expect(host.list()).toContainEqual({ kind: 'BackupItemActionV2', name: 'example.io/fine' });
    const problems = new Map<string, string[]>();
    for (const { program, message } of host.problems()) {
      const name = program.slice(`${folder}/plugins/`.length);
      problems.set(name, [...(problems.get(name) ?? []), message.replaceAll(`${folder}/plugins`, '')]);
    }
    const rebuild = 'Rebuild it with a current SDK for Velero plugins.';
    expect(problems.get('a-good')).toBeUndefined();
    expect(problems.get('b-same-names')).toHaveLength(2);
    expect(problems.get('b-same-names')).toContain(
      'ObjectStore example.io/store is offered by /a-good already, which is used; remove one of the two programs',
    );
    expect(Object.fromEntries([...problems].filter(([name]) => name > 'c'))).toEqual({
      'c-names': [
        'BackupItemActionV2 "no-slash": its name must be <DNS subdomain>/<name>, and it has no "/"',
        'Teleporter "example.io/teleporter": there is no such kind of plugin',
      ],
      'e-old': unusable('e-old', `it speaks version 1 of the plugin protocol, not 2. ${rebuild}`),
      'f-words': unusable(
        'f-words',
        'its first line of output is not a handshake: "Usage: backup [options]". It may not be a plugin program, or it may print to standard output before it serves.',
      ),
      'g-panics': unusable('g-panics', 'plugin program g-panics ended (exit code 2): panic: no cloud'),
      'h-no-socket': [expect.stringContaining('listPlugins: connect ENOENT /no/such/socket')],
      'i-text': ['it is neither a program of Linux nor a script with "#!" in its first line'],
      'j-not-executable': [
        'it is not executable (no x in its mode); the image that puts it there has to set it: chmod 755',
      ],
    });
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(host.problems().length);
    expect(log.messages('info').filter((message) => message === 'registering plugin')).toHaveLength(3);
  });

  it('is loaded without waiting for a program that never prints its address', async () => {
    const place = (plugins: string) => script(plugins, 'silent', 'exec sleep 600');
    await using world = await pluginWorld(place, { limits: { startMs: 300 } });
    const [problem] = world.host.problems();
    expect([problem?.message.replaceAll(`${world.folder}/plugins`, '')]).toEqual(
      unusable('silent', 'it gave no address within 300ms'),
    );
  });
});
