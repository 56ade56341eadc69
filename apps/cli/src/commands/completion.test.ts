import { execFileSync } from 'node:child_process';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';

function scriptFor(shell: string): string {
  let printed = '';
  const output = { write: (text: string) => (printed += text) };
  const context = {
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    stdout: output,
    stderr: output,
    signal: AbortSignal.any([]),
    connect: () => Promise.reject(new Error('completion connects to nothing')),
  };
  buildProgram(context, {}).parse(['completion', shell], { from: 'user' });
  return printed;
}

/** What bash would offer after these words. */
function offered(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script =
    `${scriptFor('bash')}\nCOMP_WORDS=(lateen ${line}); COMP_CWORD=${words.length}; _lateen; echo "$` +
    '{COMPREPLY[@]}"';
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', timeout: 10_000 }).trim().split(' ');
}

describe('completion', () => {
  it('offers commands, then sub-commands, then flags', () => {
    expect(offered('vol')).toEqual(['volume']);
    expect(offered('volume', 'up')).toEqual(['upload']);
    expect(offered('repo', 'ch')).toEqual(['check', 'change-password']);
    expect(offered('repo', 'check', 'shop-default-kopia', '--re')).toEqual(['--read-data']);
    expect(offered('volume', 'upload', '--snap')).toEqual(['--snapshot-class', '--snapshot-timeout']);
  });
  it('goes on offering flags after an argument, and ends for words it does not know', () => {
    expect(offered('volume', 'upload', 'shop/data', '--st')).toEqual(['--storage-location']);
    expect(offered('nonsense', '--kube')).toEqual(['--kubeconfig', '--kubecontext']);
  });
  it('is made for zsh and fish too, and refuses other shells by name', () => {
    expect(scriptFor('zsh')).toContain('bashcompinit');
    expect(scriptFor('fish')).toContain('complete -c lateen');
    expect(() => scriptFor('tcsh')).toThrow('there is no completion for "tcsh"');
  });
});
