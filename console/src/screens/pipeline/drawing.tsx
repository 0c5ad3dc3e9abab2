/** The drawing: from what comes in, through the log, to profiles and analytics. Side by side, or as a column. */
import { useRef } from 'preact/hooks';
import { linkTo, parameter } from '../../api/address.ts';
import { useWidth } from '../../parts/charts/use-width.ts';
import { type Box, type Layout, layoutFor } from './layout.ts';
import type { EdgeView, NodeView, PipelineView } from './model.ts';

export function Drawing({ view }: { readonly view: PipelineView }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  return <div ref={box}>{width > 0 && <Drawn view={view} layout={layoutFor(width)} />}</div>;
}

function Drawn({ view, layout }: { readonly view: PipelineView; readonly layout: Layout }) {
  const height = layout.heightOf(view.generations.length);
  const open = parameter('partitions');
  const link = (part: string): string => linkTo(['pipeline'], open === part ? {} : { partitions: part });
  return (
    <svg class={`pipeline ${layout.name}`} width={layout.width} height={height}>
      <Line path={layout.paths.input} isFlowing={view.isAccepting} tone="good" />
      <Line path={layout.paths.projector} isFlowing={view.toProjector.isFlowing} tone={view.toProjector.tone} />
      <Line path={layout.paths.sink} isFlowing={view.toSink.isFlowing} tone={view.toSink.tone} />
      <Line path={layout.paths.profiles} isFlowing={view.toProjector.isFlowing} tone={view.projector.tone} />
      <Line path={layout.paths.analytics} isFlowing={view.toSink.isFlowing} tone={view.sink.tone} />
      <Label edge={view.toProjector} at={layout.labels.projector} layout={layout} />
      <Label edge={view.toSink} at={layout.labels.sink} layout={layout} />
      <Node node={view.input} box={layout.boxes.input} />
      <Node node={view.log} box={layout.boxes.log} href={link('all')} isOpen={open === 'all'} />
      <Node node={view.projector} box={layout.boxes.projector} href={link('profiles')} isOpen={open === 'profiles'} />
      <Node node={view.sink} box={layout.boxes.sink} href={link('analytics')} isOpen={open === 'analytics'} />
      <Node node={view.profiles} box={layout.boxes.profiles} isStore />
      <Node node={view.analytics} box={layout.boxes.analytics} isStore />
      {view.generations.map(({ key, title, line }, i) => (
        <Building key={key} title={title} line={line} box={layout.generationBox(i)} layout={layout} />
      ))}
    </svg>
  );
}

interface LineProps {
  readonly path: string;
  readonly isFlowing: boolean;
  readonly tone: string;
}

function Line({ path, isFlowing, tone }: LineProps) {
  return (
    <g class={`line ${tone}`} aria-hidden="true">
      <path d={path} />
      {isFlowing && <path class="flow" d={path} />}
    </g>
  );
}

interface LabelProps {
  readonly edge: EdgeView;
  readonly at: readonly [x: number, y: number];
  readonly layout: Layout;
}

/** The rate above the line, what waits below it. */
function Label({ edge, at: [x, y], layout }: LabelProps) {
  return (
    <text class={`label ${edge.tone}`} text-anchor={layout.anchor}>
      <tspan class="rate" x={x} y={y}>
        {edge.rate}
      </tspan>
      <tspan x={x} y={y + layout.labelGap}>
        {edge.waits}
      </tspan>
      {edge.behind !== '' && (
        <tspan x={x} y={y + layout.labelGap + 17}>
          {edge.behind}
        </tspan>
      )}
    </text>
  );
}

interface NodeProps {
  readonly node: NodeView;
  readonly box: Box;
  /** What a click shows. */
  readonly href?: string;
  readonly isOpen?: boolean;
  readonly isStore?: boolean;
}

function Node({ node, box: { x, y, w, h }, href, isOpen = false, isStore = false }: NodeProps) {
  const content = (
    <g class={`node ${node.tone} ${isOpen ? 'open' : ''}`}>
      <rect x={x + 0.5} y={y + 0.5} width={w - 1} height={h - 1} rx={isStore ? 16 : 8} />
      <text class="title" x={x + 16} y={y + 29}>
        {node.title}
      </text>
      <circle cx={x + 20} cy={y + 47} r="4" />
      <text class="state" x={x + 30} y={y + 51.5}>
        {node.state}
      </text>
      {node.lines.map((line, i) => (
        <text key={line} class="more" x={x + 16} y={y + 73 + 18 * i}>
          {line}
        </text>
      ))}
    </g>
  );
  if (href === undefined) return content;
  return (
    <a href={href} data-row>
      {content}
    </a>
  );
}

interface BuildingProps {
  readonly title: string;
  readonly line: string;
  readonly box: Box;
  readonly layout: Layout;
}

function Building({ title, line, box, layout }: BuildingProps) {
  return (
    <g class="node building">
      <path d={layout.generationPath(box)} />
      <rect x={box.x + 0.5} y={box.y + 0.5} width={box.w - 1} height={box.h - 1} rx="8" />
      <text class="title small" x={box.x + 16} y={box.y + 24}>
        {title}
      </text>
      <text class="more" x={box.x + 16} y={box.y + 44}>
        {line}
      </text>
    </g>
  );
}
