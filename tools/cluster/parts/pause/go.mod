module lateen.dev/cluster/pause

go 1.24.0
