/** The kinds of settings, as Longhorn's API names them. */
export type SettingKind = 'string' | 'int' | 'float' | 'bool';

export const settingCategories = [
  'general',
  'backup',
  'scheduling',
  'snapshot',
  'orphan',
  'system info',
  'danger Zone',
] as const;
export type SettingCategory = (typeof settingCategories)[number];

/** One setting: its allowed values, and whether any controller here uses it. */
export interface SettingDefinition<Name extends string = string, Kind extends SettingKind = SettingKind> {
  readonly name: Name;
  readonly kind: Kind;
  readonly category: SettingCategory;
  /** One sentence for people. */
  readonly about: string;
  /** The default for every data engine, when each engine has its own value. */
  readonly default: string;
  /** The data engines that have a value of their own; the stored value is JSON text keyed by them. Undefined: one plain value. */
  readonly engines?: readonly ('v1' | 'v2')[];
  readonly options?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Only the manager writes it. */
  readonly readOnly: boolean;
  /** `acts`: a controller uses it. `kept`: it may be set, so that installations of Longhorn keep theirs, but it has no effect. */
  readonly effect: 'acts' | 'kept';
  /** For a kept setting: why it has no effect. */
  readonly because?: string;
}

type Parts = Partial<Pick<SettingDefinition, 'engines' | 'options' | 'minimum' | 'maximum' | 'readOnly'>> & {
  /** Why it has no effect. */
  kept?: string;
};

/** The three ways to write a row of the table; each category has its own functions, so that rows stay short. */
export function rowsOf(category: SettingCategory) {
  const row =
    <Kind extends SettingKind>(kind: Kind) =>
    <const Name extends string>(
      name: Name,
      value: string,
      about: string,
      { kept, readOnly = false, ...parts }: Parts = {},
    ): SettingDefinition<Name, Kind> => ({
      name,
      kind,
      category,
      about,
      default: value,
      readOnly,
      ...(kept === undefined ? { effect: 'acts' } : { effect: 'kept', because: kept }),
      ...parts,
    });
  return { bool: row('bool'), int: row('int'), float: row('float'), text: row('string') };
}

/** Reasons that several settings share. */
export const notHere = {
  v2: 'there is no v2 data engine here',
  backingImages: 'there are no backing images here',
  shares: 'volumes that several nodes mount are not supported here',
  outside: 'no server outside the cluster is contacted',
  cronJobs: 'recurring jobs run in the manager, without CronJobs',
  bundles: 'there are no support bundles here',
  enginePods: 'engine images have no pods of their own here',
} as const;

export const bothEngines = ['v1', 'v2'] as const;
