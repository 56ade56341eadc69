/** As the API of Longhorn names them. */
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

/** One setting: what it may be and whether anything here follows it. */
export interface SettingDefinition<Name extends string = string, Kind extends SettingKind = SettingKind> {
  readonly name: Name;
  readonly kind: Kind;
  readonly category: SettingCategory;
  /** One sentence for people. */
  readonly about: string;
  /** Of every data engine that it has a value for when it is one per engine. */
  readonly default: string;
  /** The data engines that have a value of their own; the stored value is JSON text keyed by them. Undefined: one plain value. */
  readonly engines?: readonly ('v1' | 'v2')[];
  readonly options?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Written by the manager alone. */
  readonly readOnly: boolean;
  /** `acts`: some room follows it. `kept`: it may be set, so that installations of Longhorn bring theirs along, and nothing follows it. */
  readonly effect: 'acts' | 'kept';
  /** Of a kept one: why nothing follows it. */
  readonly because?: string;
}

type Parts = Partial<Pick<SettingDefinition, 'engines' | 'options' | 'minimum' | 'maximum' | 'readOnly'>> & {
  /** Why nothing follows it. */
  kept?: string;
};

/** The three ways to write a row of the table; each category has its own set, so that rows stay short. */
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
  outside: 'nothing is asked of servers outside the cluster',
  cronJobs: 'recurring jobs run in the manager, without CronJobs',
  bundles: 'there are no support bundles here',
  enginePods: 'engine images have no pods of their own here',
} as const;

export const bothEngines = ['v1', 'v2'] as const;
