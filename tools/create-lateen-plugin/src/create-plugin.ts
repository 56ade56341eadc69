import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, quoted } from '@lateen/errors';
import { wrongInPluginName } from '@lateen/plugin-protocol';

export interface CreatePluginOptions {
  /** The parent of the new folder. */
  parent: string;
  /** Name of the folder, the package and the program: `webapp-plugin`. */
  name: string;
  /** Prefix of the names of its actions: `example.io`. */
  domain: string;
  /** The version of the SDK in package.json: a range, or `file:` with a packed package. */
  sdk: string;
  /** The folder of the template. */
  template: string;
}

/** Names of npm packages without a scope, which are valid file names too. */
const packageName = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Files with other names in the template, because npm, git or a compiler would use them there. */
const suffix = '.tpl';
const hidden = new Set(['gitignore', 'dockerignore']);

/**
 * Creates the folder of a new plugin. Overwrites nothing.
 * @returns its path
 * @throws NAME_INVALID, FOLDER_TAKEN
 */
export async function createPlugin({ parent, name, domain, sdk, template }: CreatePluginOptions): Promise<string> {
  requireNames(name, domain);
  const folder = join(parent, name);
  await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new AppError('FOLDER_TAKEN', `${folder} exists already`, { cause, nextStep: 'Choose another name.' });
  });
  const values: Record<string, string> = { name, domain, sdk };
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && one.name.endsWith(suffix))) {
    const plain = entry.name.slice(0, -suffix.length);
    const within = entry.parentPath.slice(template.length);
    const target = join(folder, within, hidden.has(plain) ? `.${plain}` : plain);
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, filled(text, values));
  }
  return folder;
}

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (placeholder, key: string) => values[key] ?? placeholder);

function requireNames(name: string, domain: string): void {
  if (!packageName.test(name)) {
    throw new AppError('NAME_INVALID', `${quoted(name)} cannot be the name of a plugin's folder and package`, {
      nextStep: 'Use lower-case letters, digits and "-", for example webapp-plugin.',
    });
  }
  const wrong = wrongInPluginName(`${domain}/${name}`);
  if (wrong !== undefined) {
    throw new AppError('NAME_INVALID', `${quoted(domain)} cannot be the domain of a plugin's actions: ${wrong}`, {
      nextStep: 'Use a DNS name that you own, for example example.io.',
    });
  }
}
