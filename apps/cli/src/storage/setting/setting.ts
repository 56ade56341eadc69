import { AppError, plainLine } from '@lateen/errors';
import { listSettings, type SettingRow, setSetting } from '@lateen/operations/storage';
import { definitionOf, settingCategories, settingWarning } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument, completedOption } from '../../completion/completion.ts';
import { fields, orNone } from '../../output/description.ts';
import { plainTable } from '../../output/plain-table.ts';
import { parseValueFormat, printValue, valueFormats } from '../../output/print-value.ts';
import { group } from '../group.ts';
import { openStorage } from '../open-storage.ts';
import { settingNames } from '../storage-names.ts';

/** The value as the table shows it: one value when all engines have the same. */
export function valueText({ value, definition }: SettingRow): string {
  if (definition.engines === undefined || !value.startsWith('{')) return plainLine(value);
  try {
    const values = [...new Set(Object.values(JSON.parse(value) as Record<string, string>))];
    return plainLine(values.length === 1 ? (values[0] ?? '') : value);
  } catch {
    return plainLine(value);
  }
}

const isDefault = (row: SettingRow): boolean => valueText(row) === row.definition.default;

function listCommand(context: CommandContext): Command {
  const command = new Command('list')
    .description('List the settings of the volume manager, also those that are stored without effect')
    .addOption(completedOption('--category <name>', settingCategories.join(', '), settingCategories))
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'));
  withBooleanFlag(command, '--changed', 'only those that differ from their default');
  return command
    .addHelpText(
      'after',
      '\nExamples:\n  lateen storage setting list --changed\n  lateen storage setting list --category scheduling',
    )
    .action(async (flags: { category?: string; output: string; changed?: boolean }, self: Command) => {
      const format = parseValueFormat(flags.output);
      const opened = await openStorage(context, self);
      const rows = (await listSettings({ ...opened, signal: context.signal }))
        .filter(({ definition }) => flags.category === undefined || definition.category === flags.category)
        .filter((row) => flags.changed !== true || !isDefault(row));
      const cells = rows.map((row) => [
        row.definition.name,
        valueText(row),
        row.definition.default,
        row.definition.effect === 'acts' ? 'acts' : 'only kept',
        row.definition.category,
      ]);
      const lines = plainTable(['NAME', 'VALUE', 'DEFAULT', 'EFFECT', 'CATEGORY'], cells);
      context.stdout.write(printValue(format, lines, rows.map(asValue)));
    });
}

const asValue = ({ definition, value, stored, applied }: SettingRow) => ({ ...definition, value, stored, applied });

const unknown = (name: string) =>
  new AppError('STORAGE_REFUSED', `setting ${name} is not supported`, {
    nextStep: 'List them with: lateen storage setting list',
  });

function getCommand(context: CommandContext): Command {
  return new Command('get')
    .description('Show one setting: its value, what it may be, what it does')
    .addArgument(completedArgument('<name>', 'name of the setting', settingNames))
    .addOption(completedOption('-o, --output <format>', valueFormats.join(', '), valueFormats).default('table'))
    .addHelpText('after', '\nExamples:\n  lateen storage setting get default-replica-count')
    .action(async (name: string, flags: { output: string }, self: Command) => {
      const format = parseValueFormat(flags.output);
      if (definitionOf(name) === undefined) throw unknown(name);
      const opened = await openStorage(context, self);
      const row = (await listSettings({ ...opened, signal: context.signal })).find(
        (each) => each.definition.name === name,
      );
      if (row === undefined) throw unknown(name);
      const { definition, value } = row;
      const { minimum, maximum } = definition;
      const range = minimum === undefined && maximum === undefined ? undefined : `${minimum ?? ''} to ${maximum ?? ''}`;
      const lines = fields([
        ['Name', name],
        ['Value', plainLine(value)],
        ['Default', orNone(definition.default)],
        ['Kind', definition.kind],
        ['May be', orNone(definition.options?.join(', ') ?? range)],
        ['Category', definition.category],
        ['About', definition.about],
        ['Effect', settingWarning(definition) ?? 'the volume manager follows it'],
        ['Read only', definition.readOnly ? 'yes' : 'no'],
      ]);
      context.stdout.write(printValue(format, lines, asValue(row)));
    });
}

function setCommand(context: CommandContext): Command {
  return new Command('set')
    .description('Change a setting; one without effect is stored, with a message')
    .addArgument(completedArgument('<name>', 'name of the setting', settingNames))
    .argument('<value>', 'its value; JSON by data engine where they differ')
    .addHelpText(
      'after',
      `
Examples:
  lateen storage setting set default-replica-count 2
  lateen storage setting set auto-salvage false`,
    )
    .action(async (name: string, value: string, _: object, self: Command) => {
      const opened = await openStorage(context, self);
      const set = await setSetting({ ...opened, signal: context.signal }, name, value);
      if (set.warning !== undefined) context.stderr.write(`WARNING: ${set.warning}\n`);
      context.stdout.write(
        `setting ${name} ${set.changed ? 'is' : 'is already'} ${set.value === '' ? 'empty' : set.value}\n`,
      );
    });
}

/** `lateen storage setting …` */
export const storageSettingCommand = (context: CommandContext): Command =>
  group(
    'setting',
    'See and change the settings of the volume manager',
    ['lateen storage setting list --changed', 'lateen storage setting set default-replica-count 2'],
    [listCommand(context), getCommand(context), setCommand(context)],
  );
