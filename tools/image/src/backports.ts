import type { AptSources } from './apt-sources.ts';

/**
 * The backports of the release `codename` on the mirrors from which `sources` has the release itself, with the same key. Empty when the
 * sources do not name the release, because then no mirror is known.
 */
export function backportsOf({ lines, stanzas }: AptSources, codename: string): AptSources {
  const suite = `${codename}-backports`;
  const kept = (texts: readonly string[], separator: string) => [...new Set(texts)].join(separator);
  return {
    lines: kept(
      lines.split('\n').flatMap((line) => {
        const [, before, named] = /^(deb\s+(?:\[[^\]]*\]\s+)?\S+\s+)(\S+)/.exec(line.trim()) ?? [];
        return before !== undefined && named === codename ? [`${before}${suite} main`] : [];
      }),
      '\n',
    ),
    stanzas: kept(
      stanzas
        .split(/\n\s*\n/)
        .filter((stanza) => /^Suites:(.*)$/im.exec(stanza)?.[1]?.trim().split(/\s+/).includes(codename))
        .map((stanza) =>
          stanza.replace(/^Suites:.*$/im, `Suites: ${suite}`).replace(/^Components:.*$/im, 'Components: main'),
        ),
      '\n\n',
    ),
  };
}

/**
 * apt preferences by which `packages` (names, or patterns such as `qemu-*`) come from the backports, and nothing else does: apt itself
 * ranks all of them below the release.
 */
export const backportsPreferences = (packages: readonly string[], codename: string): string =>
  `Package: ${packages.join(' ')}\nPin: release n=${codename}-backports\nPin-Priority: 500\n`;

/** Names of the files in the folders of apt that contain the two above. */
export const backportsFiles = { line: 'backports.list', stanza: 'backports.sources', pin: 'backports.pref' } as const;

/**
 * A hook of mmdebstrap that installs `packages` from the backports. When a mirror has none, or does not serve their lists, the packages of
 * the release itself are installed, and mmdebstrap's output says so. The lists of this request are kept separate, because mmdebstrap
 * requests none itself when there already are some.
 */
export function backportsHook(sources: AptSources, packages: readonly string[], codename: string): string {
  const { lines, stanzas } = backportsOf(sources, codename);
  const written = (text: string, name: string) =>
    text === '' ? '' : `printf '%s\\n' ${quoted(text)} > "$new"/${name}; `;
  return (
    'set -e; etc="$1"/etc/apt; new="$etc"/backports.d; mkdir -p "$new"/lists/partial "$etc"/sources.list.d "$etc"/preferences.d; ' +
    written(lines, backportsFiles.line) +
    written(stanzas, backportsFiles.stanza) +
    'if APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get update -qq --error-on=any -o Dir::Etc::sourcelist=/dev/null' +
    ' -o Dir::Etc::sourceparts=backports.d -o Dir::State::lists="$new"/lists; then ' +
    `find "$new" -maxdepth 1 -type f -exec mv {} "$etc"/sources.list.d/ \\; ; ` +
    `printf '%s' ${quoted(backportsPreferences(packages, codename))} > "$etc"/preferences.d/${backportsFiles.pin}; ` +
    `else echo ${quoted(`no backports of ${codename} on this mirror: its own packages are taken`)} >&2; fi; rm -rf "$new"`
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
