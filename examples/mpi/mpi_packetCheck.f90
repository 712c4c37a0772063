! Two processes pass messages of every size to and fro, from 1 to 10,000 integers, 50 times each;
! each size is a line of CSV. The same as mpi_packetCheck.c.
!
!   mpifort -O2 -o mpi_packetCheck examples/mpi/mpi_packetCheck.f90
!   mpirun -n 2 ./mpi_packetCheck [FROM [TO [STEP [TRIPS]]]]
program mpi_packet_check
  use mpi
  implicit none
  integer, allocatable :: message(:)
  double precision, allocatable :: us(:)
  integer :: failed, rank, ranks, first, last, step, trips, integers
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
  if (ranks /= 2) call refuse('two processes are needed: mpirun -n 2')
  first = argument(1, 1, 0)
  last = argument(2, 10000, 0)
  step = argument(3, 1, 1)
  trips = argument(4, 50, 1)
  if (first > last) call refuse('the first size must not be above the last')
  allocate(message(last), us(trips))
  message = 0
  if (rank == 0) print '(a)', 'integers,trips,min_us,max_us,average_us,sd_us'
  do integers = first, last, step
    call round_trips(integers)
    if (rank == 0) call line(integers)
  end do
  call MPI_Finalize(failed)

contains

  subroutine round_trips(integers)
    integer, intent(in) :: integers
    double precision :: before
    integer :: trip
    do trip = 1, trips
      if (rank == 0) then
        before = MPI_Wtime()
        call MPI_Send(message, integers, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, failed)
        call MPI_Recv(message, integers, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, failed)
        us(trip) = (MPI_Wtime() - before) * 1d6
      else
        call MPI_Recv(message, integers, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, failed)
        call MPI_Send(message, integers, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, failed)
      end if
    end do
  end subroutine round_trips

  subroutine line(integers)
    integer, intent(in) :: integers
    double precision :: average, sd
    average = sum(us) / trips
    sd = sqrt(sum((us - average)**2) / max(trips - 1, 1))
    print '(i0,",",i0,4(",",a))', integers, trips, decimal(minval(us)), decimal(maxval(us)), &
      decimal(average), decimal(sd)
  end subroutine line

  ! The whole number at this place of the command line, or the usual one.
  integer function argument(place, usual, least)
    integer, intent(in) :: place, usual, least
    character(len=32) :: text
    integer :: wrong
    argument = usual
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    read(text, *, iostat=wrong) argument
    if (wrong /= 0 .or. argument < least) &
      call refuse('not a number that is possible here: '//trim(text))
  end function argument

  ! With three digits behind the point and one at least before it.
  function decimal(value) result(text)
    double precision, intent(in) :: value
    character(len=:), allocatable :: text
    character(len=32) :: wide
    write(wide, '(f32.3)') value
    text = trim(adjustl(wide))
  end function decimal

  subroutine refuse(why)
    use, intrinsic :: iso_fortran_env, only: error_unit
    character(len=*), intent(in) :: why
    if (rank == 0) write(error_unit, '(a)') why
    call MPI_Finalize(failed)
    stop 2, quiet=.true.
  end subroutine refuse

end program mpi_packet_check
