/**
 * Who plays a role. Two roles are played by the same model when endpoint and model are equal; a name alone says little,
 * since one name can stand at two endpoints.
 * @since 0.1.0
 * @category models
 */
export interface Identity {
  /** What rows show: a model name, `function:<name>`, `template`. */
  readonly name: string
  readonly provider?: string
  readonly endpoint?: string
  readonly model?: string
}

/**
 * Equal endpoint and model, when both name a model; where no endpoint is known, equal provider and model. One endpoint can
 * be reached by two providers' names.
 */
export const sameModel = (a: Identity, b: Identity): boolean =>
  a.model !== undefined &&
  a.model === b.model &&
  a.endpoint === b.endpoint &&
  (a.endpoint !== undefined || a.provider === b.provider)
