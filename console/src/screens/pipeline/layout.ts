/** Where the drawing has its parts: side by side, and as a column for narrow pages. */

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

type Name = 'input' | 'log' | 'projector' | 'sink' | 'profiles' | 'analytics';

export interface Layout {
  readonly name: 'wide' | 'column';
  readonly width: number;
  readonly heightOf: (generations: number) => number;
  readonly boxes: Readonly<Record<Name, Box>>;
  readonly paths: Readonly<Record<Exclude<Name, 'log'>, string>>;
  readonly labels: Readonly<Record<'projector' | 'sink', readonly [x: number, y: number]>>;
  readonly anchor: 'middle' | 'start';
  /** Between the rate and what waits. */
  readonly labelGap: number;
  readonly generationBox: (index: number) => Box;
  readonly generationPath: (box: Box) => string;
}

const GENERATION_STEP = 72;

export const WIDE: Layout = {
  name: 'wide',
  width: 960,
  heightOf: (generations) => 272 + GENERATION_STEP * generations,
  boxes: {
    input: { x: 0, y: 80, w: 160, h: 112 },
    log: { x: 224, y: 92, w: 144, h: 88 },
    projector: { x: 568, y: 4, w: 168, h: 88 },
    sink: { x: 568, y: 180, w: 168, h: 88 },
    profiles: { x: 800, y: 4, w: 160, h: 88 },
    analytics: { x: 800, y: 180, w: 160, h: 88 },
  },
  paths: {
    input: 'M160 136H224',
    projector: 'M368 136C412 136 412 48 456 48H568',
    sink: 'M368 136C412 136 412 224 456 224H568',
    profiles: 'M736 48H800',
    analytics: 'M736 224H800',
  },
  labels: { projector: [500, 38], sink: [500, 214] },
  anchor: 'middle',
  labelGap: 29,
  generationBox: (index) => ({ x: 568, y: 296 + GENERATION_STEP * index, w: 392, h: 56 }),
  generationPath: ({ x, y, h }) => `M296 180V${y + h / 2 - 16}q0 16 16 16H${x}`,
};

export const COLUMN: Layout = {
  name: 'column',
  width: 328,
  heightOf: (generations) => 736 + GENERATION_STEP * generations,
  boxes: {
    input: { x: 0, y: 0, w: 328, h: 108 },
    log: { x: 0, y: 136, w: 328, h: 88 },
    projector: { x: 32, y: 288, w: 296, h: 88 },
    profiles: { x: 32, y: 392, w: 296, h: 88 },
    sink: { x: 32, y: 544, w: 296, h: 88 },
    analytics: { x: 32, y: 648, w: 296, h: 88 },
  },
  paths: {
    input: 'M164 108V136',
    projector: 'M12 224V316q0 16 16 16H32',
    sink: 'M12 224V572q0 16 16 16H32',
    profiles: 'M180 376V392',
    analytics: 'M180 632V648',
  },
  labels: { projector: [32, 250], sink: [32, 506] },
  anchor: 'start',
  labelGap: 18,
  generationBox: (index) => ({ x: 32, y: 760 + GENERATION_STEP * index, w: 296, h: 56 }),
  generationPath: ({ x, y, h }) => `M12 224V${y + h / 2 - 16}q0 16 16 16H${x}`,
};
